// SPDX-License-Identifier: GPL-2.0-only
#include "cli/commands.h"
#include "cli/config/config-file.h"
#include "cli/job-size.h"

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
    config.workload.ranks = CountRanks(config, MakeTopology(config));
    fmt::print("{}", WriteConfig(config));
}

} // namespace

void
AddConfigCommand(CLI::App& app, CommandContext&)
{
    CLI::App* command =
        app.add_subcommand("config",
                           "Print the effective configuration: defaults in place, paths "
                           "absolute; reads no traces");
    const auto arguments = std::make_shared<ConfigArguments>();
    arguments->AddTo(*command);
    command->callback([arguments] { PrintConfig(*arguments); });
}

} // namespace nadi
