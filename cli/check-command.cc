// SPDX-License-Identifier: GPL-2.0-only
#include "cli/commands.h"
#include "cli/terminal/input-summary.h"
#include "cli/terminal/progress-display.h"
#include "cli/whole-file.h"
#include "common/usage-error.h"
#include "common/work-progress.h"
#include "network/topology-dot.h"
#include "simulation/demands/demands-writer.h"
#include "simulation/simulation.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>

namespace nadi
{

namespace
{

namespace fs = std::filesystem;

struct CheckArguments
{
    ConfigArguments config;
    std::string dot;
    std::string demands;
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
SaveDemands(const std::string& text, const std::string& path)
{
    SaveWhole(text, path, "--demands");
    fmt::print("what each dimension moves is in {}\n", path);
}

/// What a check is at, for those who wait for a large one. A stage is a literal, so a pointer that
/// was read stays valid.
struct CheckProgress
{
    std::atomic<const char*> stage = "reading the configuration, the topology and the job";
    WorkProgress ranks; ///< of the stage, if it goes from rank to rank

    /// Requires: `name` is a literal.
    void Begin(const char* name)
    {
        ranks.Begin(0);
        stage = name;
    }
};

/// Throws what a run would throw before its first event, or for a request that is too large.
void
PrepareRun(const RunInput& input)
{
    RunProgress progress;
    Simulation simulation(input, progress);
    simulation.CheckRequests();
}

/// Throws UsageError where both files that are written are the same one.
void
CheckOutputs(const CheckArguments& arguments)
{
    if (arguments.dot.empty() || arguments.demands.empty())
    {
        return;
    }
    std::error_code error;
    // Made absolute first: of a file that is not there yet, "./a" and "a" would differ otherwise.
    const auto find = [&error](const std::string& path)
    { return fs::weakly_canonical(fs::absolute(path, error), error); };
    const fs::path dot = find(arguments.dot);
    // A device or a pipe takes both, one after the other.
    const bool isOther = fs::exists(dot, error) && !fs::is_regular_file(dot, error);
    if (!isOther && dot == find(arguments.demands))
    {
        throw UsageError("--dot and --demands both write \"" + arguments.dot +
                         "\"; name a file for each");
    }
}

/// Prints nothing about a configuration before everything that a run does ahead of its first event
/// has succeeded.
void
Check(const CheckArguments& arguments)
{
    CheckOutputs(arguments);
    CheckProgress progress;
    auto display = std::make_unique<ProgressDisplay>(
        [&](auto elapsed) { return DescribeStage(progress.stage.load(), progress.ranks, elapsed); },
        ChooseProgressMode());
    const RunInput input(arguments.config.file, arguments.config.settings, {}, &progress.ranks);
    progress.Begin("preparing a run");
    // A configuration that is read without fault may still be refused when the layers are put
    // together.
    PrepareRun(input);
    progress.Begin("looking for the longest way");
    const std::string text = DescribeInput(input);
    progress.Begin("planning the collectives");
    // Demands are collected before anything is printed, as this may fail, and the text says that
    // the configuration is valid.
    const std::string demands = arguments.demands.empty()
                                    ? ""
                                    : WriteDemands(input, CollectDemands(input, &progress.ranks));
    display.reset(); // its line goes before the text comes
    fmt::print("{} is valid\n{}", arguments.config.file, text);
    if (!arguments.dot.empty())
    {
        WriteDot(input.Topology(), arguments.dot);
    }
    if (!arguments.demands.empty())
    {
        SaveDemands(demands, arguments.demands);
    }
}

} // namespace

Command
MakeCheckCommand()
{
    const auto arguments = std::make_shared<CheckArguments>();
    Command command{
        .name = "check",
        .help = "Read everything that run would; simulate nothing",
        .examples = {
            "nadi check c.yaml --dot t.dot               what a run would do; draw the topology",
            "nadi check c.yaml --demands d.json          what each call moves in each dimension",
            "nadi check c.yaml --set workload.ranks=8    the same with a key overridden"}};
    command.options = arguments->config.Options();
    command.options.push_back({.name = "--dot",
                               .target = &arguments->dot,
                               .help = "draw the topology for Graphviz",
                               .valueName = "FILE"});
    command.options.push_back({.name = "--demands",
                               .target = &arguments->demands,
                               .help = "write what each call moves in each dimension, as JSON",
                               .valueName = "FILE"});
    command.run = [arguments](const ProgramStart&)
    {
        return arguments->config.BlameForClockEnd(
            [&arguments]
            {
                Check(*arguments);
                return EXIT_DONE;
            });
    };
    return command;
}

} // namespace nadi
