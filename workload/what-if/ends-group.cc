// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/ends-group.h"

#include "workload/what-if/graph-changes.h"

#include <cstdint>

namespace nadi
{

namespace
{

/// A sum of less is of a few numbers, such as the loss or the norm of the gradients, which all
/// ranks tell each other.
constexpr uint64_t LEAST_MATRIX = 1024;

bool
IsOfEndsAlone(const JobStructure& structure)
{
    return structure.ranks.size() == 2 && structure.degrees.pipeline == 2U;
}

/// Nothing changes where no call of all ranks is large enough.
GraphChanges
FindSumOfEnds(const ExecutionGraph& graph, const TaskList& optimizer)
{
    GraphChanges changes;
    const auto newGroup = static_cast<uint32_t>(graph.GroupNames().size());
    for (const uint32_t node : optimizer)
    {
        const ExecutionNode& task = graph.Node(node);
        if (task.type == NodeType::Collective && task.group == 0 &&
            task.collective == CollectiveType::AllReduce && task.size >= LEAST_MATRIX)
        {
            changes.groupOf[node] = newGroup;
        }
    }
    if (!changes.groupOf.empty())
    {
        changes.groups = {FreeGroupName(graph, "embedding")};
    }
    return changes;
}

} // namespace

Workload
NameGroupOfEnds(const Workload& job, const JobStructure& structure)
{
    Workload made = job;
    if (!IsOfEndsAlone(structure))
    {
        return made;
    }
    for (const RankStructure& rank : structure.ranks)
    {
        const uint32_t graph = job.graphOfRank[rank.rank];
        const TaskList& optimizer = structure.ranks[rank.sameAs].optimizer;
        const GraphChanges changes = FindSumOfEnds(job.graphs[graph], optimizer);
        if (!changes.groupOf.empty())
        {
            made.graphs[graph] = RewriteGraph(job.graphs[graph], changes);
            made.communicatorOfGroup[rank.rank].push_back(CommunicatorId{0});
        }
    }
    return made;
}

} // namespace nadi
