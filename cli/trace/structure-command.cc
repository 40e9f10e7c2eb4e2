// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/edit-output.h"
#include "cli/trace/structure-hints.h"
#include "cli/trace/structure-text.h"
#include "cli/trace/trace-commands.h"
#include "cli/trace/trace-inputs.h"
#include "common/usage-error.h"
#include "workload/tools/conversion/host-job.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/tools/structure/structure-json.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

namespace nadi
{

namespace
{

struct StructureArguments
{
    std::vector<std::string> traces;
    std::string groups;
    std::vector<std::string> host; ///< --host
    HintArguments hints;
    bool isJson = false;
};

void
Print(const StructureArguments& arguments, const JobStructure& structure, const Workload& workload)
{
    fmt::print("{}",
               arguments.isJson ? FormatStructureJson(structure, workload)
                                : DescribeStructure(structure, Style::For(stdout)));
}

void
PrintStructureOfHost(const StructureArguments& arguments)
{
    if (!arguments.groups.empty())
    {
        throw UsageError("--groups goes with TRACES; host execution traces say their groups "
                         "themselves");
    }
    const HostJob job = ReadHostJob(FindTraceInputs(arguments.host).files);
    JobStructure structure = FindStructure(job.workload, job.orders, arguments.hints.Parse());
    for (const std::string& note : job.notes)
    {
        // Notes of the reader are clauses, those of a structure are sentences.
        structure.notes.push_back("Of what was read, " + note + ".");
    }
    Print(arguments, structure, job.workload);
}

void
PrintStructure(const StructureArguments& arguments)
{
    // Both are given, or neither is.
    if (arguments.traces.empty() == arguments.host.empty())
    {
        throw UsageError("which traces? write Chakra traces, or --host and host execution traces "
                         "of PyTorch");
    }
    if (!arguments.host.empty())
    {
        PrintStructureOfHost(arguments);
        return;
    }
    // Wrong hints are refused before traces are read, which may take long.
    const StructureHints hints = arguments.hints.Parse();
    const TraceJob job = ReadTraceJob(FindTraceInputs(arguments.traces).files,
                                      FindInputGroups(arguments.traces, arguments.groups),
                                      AbsentRanks::LeftOut);
    Print(arguments, FindStructure(job, hints), job.workload);
}

CommandOption
MakeOptionalTracesOption(std::vector<std::string>& traces)
{
    CommandOption option = MakeTracesOption(traces);
    option.isRequired = false;
    return option;
}

} // namespace

Command
MakeTraceStructureCommand()
{
    const auto arguments = std::make_shared<StructureArguments>();
    return {
        .name = "structure",
        .help = "Find layers, passes, micro-batches and degrees of parallelism in traces",
        .examples = {"nadi trace structure traces/llama/llama3-70b.{rank}.et --groups "
                     "traces/llama/groups.json",
                     "nadi trace structure recorded/gpt.{rank}.et --layer-pattern LayerNormKernel",
                     "nadi trace structure --host et/rank{rank}.json"},
        .options = {MakeOptionalTracesOption(arguments->traces),
                    {.name = "--host",
                     .target = &arguments->host,
                     .help = "in place of TRACES, host execution traces of PyTorch alone, which "
                             "have operators and no kernels",
                     .valueName = "FILE"},
                    MakeGroupsOption(arguments->groups),
                    arguments->hints.PatternOption(),
                    arguments->hints.DegreesOption(),
                    {.name = "--json",
                     .target = &arguments->isJson,
                     .help = "print JSON, which has the nodes of every layer"}},
        .run = [arguments](const ProgramStart&)
        {
            PrintStructure(*arguments);
            return EXIT_DONE;
        }};
}

} // namespace nadi
