// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/known-job.h"

#include "workload/tools/editing/trace-job.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/tools/structure/job-doubts.h"
#include "workload/tools/structure/task-order.h"
#include "workload/what-if/absent-ranks.h"

#include <cstdint>
#include <utility>

namespace nadi
{

namespace
{

/// When the nodes of each recorded rank began. Gives the nodes of its graph the order of the
/// program.
std::vector<RecordedOrder>
OrderGraphs(TraceJob& job, const std::vector<RankFile>& files)
{
    std::vector<RecordedOrder> orders;
    for (const RankFile& file : files)
    {
        ExecutionGraph& graph = job.workload.graphs[job.workload.graphOfRank[file.rank]];
        orders.push_back(ReadRecordedOrder(job.ReadRank(file.rank), graph));
        PutInProgramOrder(graph, orders.back());
    }
    return orders;
}

uint32_t
CountHintedRanks(const FoundDegrees& degrees)
{
    return static_cast<uint32_t>(MultiplyDegrees(degrees));
}

/// Finds out what the ranks do, and gives those without a trace what they do.
KnownJob
FindKnownJob(TraceJob read, const std::vector<RankFile>& files, const StructureHints& hints)
{
    std::vector<RecordedOrder> orders = OrderGraphs(read, files);
    std::vector<uint32_t> recorded;
    for (const RankFile& file : files)
    {
        recorded.push_back(file.rank);
    }
    RecordedPart part = TakeRecordedPart(read.workload, std::move(recorded));
    JobStructure structure = FindStructure(part.job, orders, hints);
    if (files.size() == read.RankCount())
    {
        part.job.notes = read.workload.notes;
        return {std::move(part.job), std::move(structure), {}};
    }
    CompletedJob completed = CompleteJob(read.workload, std::move(part), structure);
    completed.job.notes = read.workload.notes;
    for (size_t graph = orders.size(); graph < completed.placeOfGraph.size(); ++graph)
    {
        orders.push_back(RecordedOrder(orders[completed.placeOfGraph[graph]]));
    }
    structure = FindStructure(completed.job, orders, hints);
    return {std::move(completed.job), std::move(structure), {std::move(completed.note)}};
}

} // namespace

KnownJob
ReadKnownJob(const std::vector<RankFile>& files,
             const std::optional<std::string>& groupsFile,
             const StructureHints& hints)
{
    TraceJob read = ReadPartOfJob(files, groupsFile, CountHintedRanks(hints.degrees));
    return FindKnownJob(std::move(read), files, hints);
}

uint32_t
CountKnownRanks(const std::vector<RankFile>& files,
                const std::optional<std::string>& groupsFile,
                const StructureHints& hints)
{
    TraceJob read = ReadPartOfJob(files, groupsFile, CountHintedRanks(hints.degrees));
    return files.size() == read.RankCount()
               ? read.RankCount()
               : FindKnownJob(std::move(read), files, hints).job.RankCount();
}

} // namespace nadi
