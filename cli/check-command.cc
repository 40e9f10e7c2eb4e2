// SPDX-License-Identifier: GPL-2.0-only
#include "cli/commands.h"
#include "cli/simulation.h"
#include "cli/terminal/input-summary.h"
#include "cli/usage-error.h"
#include "network/topology-dot.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <memory>

namespace nadi
{

namespace
{

struct CheckArguments
{
    ConfigArguments config;
    std::string dot;
};

void
WriteDot(const Topology& topology, const std::string& path)
{
    std::ofstream file(path);
    WriteTopologyDot(file, topology);
    file.close();
    if (!file)
    {
        throw UsageError("cannot write \"" + path + "\"; name another file with --dot");
    }
    fmt::print("drawn in {}; try: dot -Tsvg {}\n", path, path);
}

void
Check(const CheckArguments& arguments)
{
    const RunInput input(arguments.config.file, arguments.config.settings);
    RunProgress progress;
    const Simulation simulation(input, progress); // finds what only a run would find
    fmt::print("{} is valid\n{}", arguments.config.file, DescribeInput(input));
    if (!arguments.dot.empty())
    {
        WriteDot(input.Topology(), arguments.dot);
    }
}

} // namespace

void
AddCheckCommand(CLI::App& app, CommandContext&)
{
    CLI::App* command =
        app.add_subcommand("check", "Read everything that run would; simulate nothing");
    const auto arguments = std::make_shared<CheckArguments>();
    arguments->config.AddTo(*command);
    command->add_option("--dot", arguments->dot, "draw the topology for Graphviz")
        ->type_name("FILE");
    command->callback([arguments] { Check(*arguments); });
}

} // namespace nadi
