// SPDX-License-Identifier: GPL-2.0-only
#include "cli/commands.h"

namespace nadi
{

/// Its arguments are the script's to read: see BecomeScript.
Command
MakeSweepCommand()
{
    return {.name = "sweep",
            .help = "Run the points of a study, keep their results, draw its figures",
            .examples = {
                "nadi sweep configs/studies/themis.yaml      run the points of a study, draw its "
                "figures"}};
}

/// Its arguments are the script's to read: see BecomeScript.
Command
MakeCompareCommand()
{
    return {
        .name = "compare",
        .help = "Say what differs between results, and where a difference of time comes from",
        .examples = {"nadi compare results/quickstart results/quickstart-themis    what differs "
                     "between two results"}};
}

/// Its arguments are the script's to read: see BecomeScript.
Command
MakeOptimizeCommand()
{
    return {
        .name = "optimize",
        .help = "Find the best bandwidths under a budget, and verify them by simulation",
        .examples = {
            "nadi optimize configs/optimize/torus-budget.yaml    which dimension should get how "
            "much bandwidth"}};
}

/// Its arguments are the script's to read: see BecomeScript.
Command
MakeReportCommand()
{
    return {.name = "report",
            .help = "Show a result in one HTML file that needs no other",
            .examples = {"nadi report results/quickstart              write "
                         "results/quickstart/report.html"}};
}

/// Its arguments are the script's to read: see BecomeScript.
Command
MakeValidateCommand()
{
    return {.name = "validate",
            .help = "Simulate measured tables of real clusters, and tell the errors",
            .examples = {"nadi validate measured/                      simulate all tables of a "
                         "folder, write a report"}};
}

std::vector<Command>
MakeAllCommands()
{
    return {MakeRunCommand(),
            MakeCheckCommand(),
            MakeCompareCommand(),
            MakeConfigCommand(),
            MakeImportCommand(),
            MakeListCommand(),
            MakeOptimizeCommand(),
            MakeReportCommand(),
            MakeSchemaCommand(),
            MakeSweepCommand(),
            MakeSynthesizeCommand(),
            MakeTraceCommand(),
            MakeValidateCommand()};
}

} // namespace nadi
