// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/analyze-text.h"
#include "cli/trace/edit-output.h"
#include "cli/trace/trace-commands.h"
#include "cli/trace/trace-inputs.h"
#include "workload/tools/editing/trace-job.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

namespace nadi
{

namespace
{

struct AnalyzeArguments
{
    std::vector<std::string> traces;
    std::string groups;
    bool isJson = false;
};

TraceAnalysis
AnalyzeTraces(const AnalyzeArguments& arguments)
{
    const TraceJob job = ReadTraceJob(FindTraceInputs(arguments.traces).files,
                                      FindInputGroups(arguments.traces, arguments.groups),
                                      AbsentRanks::LeftOut);
    TraceAnalysis analysis;
    std::vector<RecordedOrder> orders;
    for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
    {
        orders.push_back(ReadRecordedOrder(job.ReadRank(rank), job.GraphOf(rank)));
        analysis.ranks.push_back(FindBreakdown(job.GraphOf(rank), orders.back()));
    }
    const CallWaits waits = SeparateWaits(job.workload, orders);
    analysis.collectives = SummariseCollectives(job.workload, orders, waits);
    analysis.notes = waits.notes;
    return analysis;
}

} // namespace

Command
MakeTraceAnalyzeCommand()
{
    const auto arguments = std::make_shared<AnalyzeArguments>();
    return {.name = "analyze",
            .help =
                "Say where the time of recorded ranks goes, and what their collectives wait for",
            .examples = {"nadi trace analyze recorded/gpt.{rank}.et --json"},
            .options = {MakeTracesOption(arguments->traces),
                        MakeGroupsOption(arguments->groups),
                        {.name = "--json",
                         .target = &arguments->isJson,
                         .help = "print JSON, which has every rank and every millisecond"}},
            .run = [arguments](const ProgramStart&)
            {
                const TraceAnalysis analysis = AnalyzeTraces(*arguments);
                fmt::print("{}",
                           arguments->isJson ? FormatAnalysisJson(analysis)
                                             : DescribeAnalysis(analysis, Style::For(stdout)));
                return EXIT_DONE;
            }};
}

} // namespace nadi
