// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/called-groups.h"

#include "workload/what-if/communicator-list.h"

#include <cstdint>
#include <vector>

namespace nadi
{

namespace
{

/// By group.
std::vector<bool>
FindCalled(const ExecutionGraph& graph)
{
    std::vector<bool> isCalled(graph.GroupNames().size(), false);
    for (const ExecutionNode& node : graph.Nodes())
    {
        if (node.type == NodeType::Collective)
        {
            isCalled[node.group] = true;
        }
    }
    return isCalled;
}

} // namespace

void
KeepCalledGroups(Workload& job)
{
    std::vector<std::vector<bool>> calledIn;
    for (const ExecutionGraph& graph : job.graphs)
    {
        calledIn.push_back(FindCalled(graph));
    }
    CommunicatorList kept(job.RankCount());
    for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
    {
        const std::vector<bool>& isCalled = calledIn[job.graphOfRank[rank]];
        std::vector<CommunicatorId>& groups = job.communicatorOfGroup[rank];
        for (uint32_t group = 1; group < groups.size(); ++group)
        {
            groups[group] = isCalled[group]
                                ? kept.Find(job.communicators[groups[group].value].ranks)
                                : CommunicatorId{0};
        }
    }
    job.communicators = kept.All();
}

} // namespace nadi
