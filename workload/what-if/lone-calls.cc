// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/lone-calls.h"

#include "workload/what-if/graph-changes.h"

#include <algorithm>
#include <vector>

namespace nadi
{

namespace
{

bool
IsLone(const Workload& job, uint32_t rank, uint32_t group)
{
    const CommunicatorId id = job.communicatorOfGroup[rank][group];
    return job.communicators[id.value].ranks.size() == 1;
}

} // namespace

std::set<std::string>
FindLoneGroups(const Workload& job)
{
    std::set<std::string> names;
    for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
    {
        const std::vector<std::string>& groups = job.GraphOf(RankId{rank}).GroupNames();
        for (uint32_t group = 0; group < groups.size(); ++group)
        {
            if (IsLone(job, rank, group))
            {
                names.insert(groups[group]);
            }
        }
    }
    return names;
}

void
RemoveLoneCalls(Workload& job, const std::set<std::string>& recorded)
{
    for (uint32_t index = 0; index < job.graphs.size(); ++index)
    {
        // Ranks that share a graph are alone in the same groups, so its first rank stands for all.
        const auto rank = static_cast<uint32_t>(std::ranges::find(job.graphOfRank, index) -
                                                job.graphOfRank.begin());
        if (rank == job.RankCount())
        {
            continue; // of a copy that is no more
        }
        ExecutionGraph& graph = job.graphs[index];
        GraphChanges changes;
        for (const ExecutionNode& node : graph.Nodes())
        {
            changes.removed.push_back(node.type == NodeType::Collective &&
                                      !recorded.contains(graph.GroupNames()[node.group]) &&
                                      IsLone(job, rank, node.group));
        }
        if (std::ranges::find(changes.removed, true) != changes.removed.end())
        {
            graph = RewriteGraph(graph, changes);
        }
    }
}

} // namespace nadi
