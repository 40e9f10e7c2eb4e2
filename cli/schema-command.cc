// SPDX-License-Identifier: GPL-2.0-only
#include "cli/commands.h"
#include "configuration/config-file.h"

#include <fmt/format.h>

#include <cstdio>

namespace nadi
{

Command
MakeSchemaCommand()
{
    return {.name = "schema",
            .help = "A JSON Schema of configurations, for editors",
            .examples = {"nadi schema > nadi.schema.json              lets an editor complete "
                         "configurations"},
            .run = [](const ProgramStart&)
            {
                fmt::print("{}", MakeConfigSchema());
                return EXIT_DONE;
            }};
}

} // namespace nadi
