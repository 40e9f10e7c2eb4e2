// SPDX-License-Identifier: GPL-2.0-only
#include "workload/generators/uniform-workload.h"

#include "common/check.h"

namespace nadi
{

Workload
MakeEmptyWorkload(uint32_t ranks)
{
    Workload workload;
    Communicator& all = workload.communicators.emplace_back();
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        all.ranks.push_back(RankId{rank});
    }
    workload.communicatorOfGroup.assign(ranks, {CommunicatorId{0}});
    return workload;
}

Workload
MakeUniformWorkload(ExecutionGraph graph, uint32_t ranks)
{
    // MakeEmptyWorkload gives a meaning to group 0 only.
    NADI_CHECK(graph.GroupNames().size() == 1);
    Workload workload = MakeEmptyWorkload(ranks);
    workload.graphs.push_back(std::move(graph));
    workload.graphOfRank.assign(ranks, 0);
    return workload;
}

} // namespace nadi
