// SPDX-License-Identifier: GPL-2.0-only
#include "cli/commands.h"
#include "configuration/config-file.h"
#include "simulation/job-size.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

namespace nadi
{

namespace
{

/// Prints what a run would keep as config.yaml.
void
PrintConfig(const ConfigArguments& arguments)
{
    Config config = ReadConfig(arguments.file, arguments.settings);
    // A run keeps how many ranks it had, also where the configuration does not say it.
    config.workload.ranks = CountRanks(config, MakeTopology(config));
    fmt::print("{}", WriteConfig(config));
}

} // namespace

Command
MakeConfigCommand()
{
    const auto arguments = std::make_shared<ConfigArguments>();
    return {.name = "config",
            .help = "Print the effective configuration: defaults in place, paths absolute; reads "
                    "no traces",
            .examples = {"nadi config c.yaml > effective.yaml         every default in place, "
                         "paths absolute"},
            .options = arguments->Options(),
            .run = [arguments](const ProgramStart&)
            {
                PrintConfig(*arguments);
                return EXIT_DONE;
            }};
}

} // namespace nadi
