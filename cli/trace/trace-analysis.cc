// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/trace-analysis.h"

#include "cli/trace/trace-inputs.h"
#include "workload/tools/editing/trace-job.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/tools/structure/rank-agreement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace nadi
{

namespace
{

std::optional<MemoryUse>
FindMemory(const TraceDocument& document, const std::string& source, const TimeBreakdown& parts)
{
    const auto memory = ReadRecordedMemory(document.metadata, source);
    // Over the same time as the breakdown, so that both figures of a rank have one axis.
    return memory ? std::optional(FindMemoryUse(
                        *memory, parts.begin, parts.begin + static_cast<int64_t>(parts.Total())))
                  : std::nullopt;
}

} // namespace

// Goes over the ranks twice. The first time each document is read for what its starts say, and not
// kept. Then the calls of all ranks are put together, which tells waiting from transferring. The
// second time finds paths, which need that.
TraceAnalysis
AnalyzeTraces(const std::vector<std::string>& traces, const std::string& groups)
{
    const TraceJob job = ReadTraceJob(
        FindTraceInputs(traces).files, FindInputGroups(traces, groups), AbsentRanks::LeftOut);
    TraceAnalysis analysis;
    analysis.name = fmt::format("{}", fmt::join(traces, " "));
    std::vector<RecordedOrder> orders;
    for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
    {
        const TraceDocument document = job.ReadRank(rank);
        orders.push_back(ReadRecordedOrder(document, job.GraphOf(rank)));
        analysis.ranks.push_back(FindBreakdown(job.GraphOf(rank), orders.back()));
        analysis.memory.push_back(FindMemory(document, job.files[rank], analysis.ranks.back()));
    }
    const CallWaits waits = SeparateWaits(job.workload, orders);
    for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
    {
        analysis.paths.push_back(
            FindRecordedPath(job.GraphOf(rank), orders[rank], waits.ofRank[rank]));
    }
    analysis.collectives = SummariseCollectives(job.workload, orders, waits);
    analysis.kernels = FindKernelDurations(job);
    analysis.dependencies = FindDependencyCounts(job);
    analysis.exchanges = FindExpertExchanges(job.workload);
    if (!analysis.exchanges.empty())
    {
        // FindStructure takes orders by graph. A TraceJob has a graph for each rank, so these are
        // the orders by rank.
        PlaceExchanges(FindStructure(job.workload, orders, {}), analysis.exchanges);
    }
    analysis.notes = waits.notes;
    if (std::string doubt = FindDisagreement(job.workload); !doubt.empty())
    {
        analysis.notes.push_back(std::move(doubt));
    }
    return analysis;
}

} // namespace nadi
