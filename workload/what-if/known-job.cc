// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/known-job.h"

#include "common/error.h"
#include "workload/tools/editing/trace-job.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/tools/structure/job-doubts.h"
#include "workload/tools/structure/task-order.h"
#include "workload/what-if/absent-ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace nadi
{

namespace
{

/// When the nodes of each recorded rank began, in the order of the files, in which TakeRecordedPart
/// takes their ranks. Gives the nodes of its graph the order of the program.
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

/// Whether hints say how many ranks call a collective of all: several do, or the degrees by which
/// ranks call any are all there. Hints of fewer ranks than the job has do not.
bool
TellCallers(const FoundDegrees& degrees, uint32_t ranks)
{
    const uint64_t callers = uint64_t{degrees.tensor.value_or(1)} * degrees.context.value_or(1) *
                             degrees.data.value_or(1);
    return (callers > 1 && MultiplyDegrees(degrees) >= ranks) || (degrees.tensor && degrees.data);
}

/// Whether a rank calls collectives, and names groups and peers of which nothing is known.
bool
CallsUnknownRanks(const Workload& recorded, uint32_t rank)
{
    const ExecutionGraph& graph = recorded.GraphOf(RankId{rank});
    const auto isCall = [](const ExecutionNode& node)
    { return IsCollectiveTask(node) && !IsOfFewNumbers(node); };
    const bool namesOthers =
        recorded.RankCount() > 1 &&
        (graph.GroupNames().size() > 1 || std::ranges::any_of(graph.Nodes(), IsMessageTask));
    return !namesOthers && std::ranges::any_of(graph.Nodes(), isCall);
}

/// Why it is unknown how many ranks the job has; empty: it is known, or nothing speaks against as
/// many as there are traces.
std::string
FindUnknownCount(const Workload& recorded,
                 const std::vector<RankFile>& files,
                 const std::vector<RecordedOrder>& orders)
{
    const bool isPart = files.size() == 1 || files.size() < recorded.RankCount();
    const bool isSaid =
        std::ranges::any_of(orders, [](const RecordedOrder& order) { return order.jobRanks > 0; });
    for (const RankFile& file : files)
    {
        if (isPart && !isSaid && CallsUnknownRanks(recorded, file.rank))
        {
            return fmt::format("Rank {} calls collectives, and neither its trace nor a groups file "
                               "says of which ranks. Name the degrees of the job, as in --degrees "
                               "tp=8,dp=2 (in a run degrees: {{tp: 8, dp: 2}}), and give the "
                               "groups, where the trace names some.",
                               file.rank);
        }
    }
    return "";
}

/// A group that only one recorded rank calls, where nothing says who else is in it. Empty: there is
/// none.
std::string
FindLoneGroup(const TraceJob& read, const std::vector<RankFile>& files)
{
    for (const RankFile& file : files)
    {
        const ExecutionGraph& graph = read.GraphOf(file.rank);
        for (const ExecutionNode& node : graph.Nodes())
        {
            const bool isCall = IsCollectiveTask(node) && !node.isCpu && !IsOfFewNumbers(node);
            if (isCall && read.undefinedGroups.contains(graph.GroupNames()[node.group]) &&
                read.RanksOfGroup(file.rank, node.group).size() == 1)
            {
                return fmt::format("Rank {} calls collectives in the group \"{}\", of which no "
                                   "other rank was recorded, and neither traces nor a groups file "
                                   "say who else is in it. Give the groups of all ranks with "
                                   "--groups, such as {{\"{}\": [{}]}} if it has no other.",
                                   file.rank,
                                   graph.GroupNames()[node.group],
                                   graph.GroupNames()[node.group],
                                   file.rank);
            }
        }
    }
    return "";
}

/// Why it is unknown which other ranks do what the recorded ones do; empty: it is known.
std::string
FindUnknownRanks(const TraceJob& read,
                 const std::vector<RankFile>& files,
                 const std::vector<RecordedOrder>& orders,
                 const FoundDegrees& hints)
{
    const bool isTold = TellCallers(hints, read.RankCount());
    const bool isWhole = isTold && read.RankCount() == 1;
    std::string lone = isWhole ? "" : FindLoneGroup(read, files);
    return lone.empty() && !isTold ? FindUnknownCount(read.workload, files, orders) : lone;
}

/// Where nothing says how many ranks the job has, other ranks may share groups that only traces
/// name. Empty: there are no such groups.
std::string
DescribeTakenGroups(const TraceJob& read, const std::vector<RecordedOrder>& orders)
{
    const bool isWhole = std::ranges::any_of(
        orders, [&read](const RecordedOrder& order) { return order.jobRanks == read.RankCount(); });
    if (isWhole || read.undefinedGroups.empty())
    {
        return "";
    }
    const size_t count = read.undefinedGroups.size();
    return fmt::format(
        "Nothing defines {}, so {} taken to hold the ranks whose traces call it; a "
        "groups file says which others do, if any were not recorded",
        count == 1 ? fmt::format("group \"{}\"", *read.undefinedGroups.begin())
                   : fmt::format("{} groups, such as \"{}\"", count, *read.undefinedGroups.begin()),
        count == 1 ? "it is" : "each is");
}

/// Where no layers are found, this is what an edit fails for.
void
AddObstacle(const std::string& obstacle, JobStructure& structure)
{
    if (structure.obstacle.empty() && structure.HasLayers())
    {
        structure.obstacle = obstacle;
    }
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
    // First, as the structure is found in the order of the program.
    std::vector<RecordedOrder> orders = OrderGraphs(read, files);
    std::vector<uint32_t> recorded;
    for (const RankFile& file : files)
    {
        recorded.push_back(file.rank);
    }
    // Asked before TakeRecordedPart moves the graphs out of the job.
    const std::string unknown = FindUnknownRanks(read, files, orders, hints.degrees);
    if (!unknown.empty() && files.size() < read.RankCount())
    {
        throw ConfigError("what-if", unknown); // nobody can stand for the others
    }
    std::vector<std::string> notes;
    if (std::string taken = DescribeTakenGroups(read, orders); !taken.empty())
    {
        notes.push_back(std::move(taken));
    }
    RecordedPart part = TakeRecordedPart(read.workload, std::move(recorded));
    JobStructure structure = FindStructure(part.job, orders, hints);
    // With a trace for each rank nobody stands for another. What is unknown then matters to edits
    // alone, so the structure has it as an obstacle.
    if (files.size() == read.RankCount())
    {
        part.job.notes = read.workload.notes;
        AddObstacle(unknown, structure);
        return {std::move(part.job), std::move(structure), std::move(notes)};
    }
    CompletedJob completed = CompleteJob(read.workload, std::move(part), structure);
    completed.job.notes = read.workload.notes;
    // Graphs that CompleteJob made with other roots stand behind the recorded ones. Each has the
    // order of the graph that it was made of.
    for (size_t graph = orders.size(); graph < completed.placeOfGraph.size(); ++graph)
    {
        orders.push_back(RecordedOrder(orders[completed.placeOfGraph[graph]]));
    }
    // Once more, for all ranks: the first structure is that of the recorded ones alone.
    structure = FindStructure(completed.job, orders, hints);
    AddObstacle(unknown, structure);
    notes.push_back(std::move(completed.note));
    return {std::move(completed.job), std::move(structure), std::move(notes)};
}

} // namespace

KnownJob
ReadKnownJob(const std::vector<RankFile>& files,
             const std::optional<std::string>& groupsFile,
             const StructureHints& hints,
             MemoryLocation defaultLocation)
{
    TraceJob read =
        ReadPartOfJob(files, groupsFile, CountHintedRanks(hints.degrees), defaultLocation);
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
