// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/edit-output.h"
#include "cli/trace/structure-hints.h"
#include "cli/trace/structure-text.h"
#include "cli/trace/trace-commands.h"
#include "cli/trace/trace-inputs.h"
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
    HintArguments hints;
    bool isJson = false;
};

void
PrintStructure(const StructureArguments& arguments)
{
    const StructureHints hints = arguments.hints.Parse();
    const TraceJob job = ReadTraceJob(FindTraceInputs(arguments.traces).files,
                                      FindInputGroups(arguments.traces, arguments.groups),
                                      AbsentRanks::LeftOut);
    const JobStructure structure = FindStructure(job, hints);
    fmt::print("{}",
               arguments.isJson ? FormatStructureJson(structure, job.workload)
                                : DescribeStructure(structure, Style::For(stdout)));
}

} // namespace

Command
MakeTraceStructureCommand()
{
    const auto arguments = std::make_shared<StructureArguments>();
    return {.name = "structure",
            .help = "Find layers, passes, micro-batches and degrees of parallelism in traces",
            .examples = {"nadi trace structure traces/gpt.{rank}.et --groups traces/groups.json",
                         "nadi trace structure gpt.{rank}.et --layer-pattern LayerNormKernel"},
            .options = {MakeTracesOption(arguments->traces),
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
