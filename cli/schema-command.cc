// SPDX-License-Identifier: GPL-2.0-only
#include "cli/commands.h"
#include "cli/config/config-file.h"

#include <fmt/format.h>

#include <cstdio>

namespace nadi
{

void
AddSchemaCommand(CLI::App& app, CommandContext&)
{
    CLI::App* command =
        app.add_subcommand("schema", "A JSON Schema of configurations, for editors");
    command->callback([] { fmt::print("{}", MakeConfigSchema()); });
}

} // namespace nadi
