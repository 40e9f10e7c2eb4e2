// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/called-groups.h"

#include "workload/what-if/communicator-list.h"
#include "workload/what-if/graph-copy.h"

#include <cstdint>
#include <vector>

namespace nadi
{

void
KeepCalledGroups(Workload& job)
{
    std::vector<std::vector<bool>> calledIn;
    for (const ExecutionGraph& graph : job.graphs)
    {
        calledIn.push_back(FindCalledGroups(graph));
    }
    CommunicatorList kept(job.RankCount());
    for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
    {
        const std::vector<bool>& isCalled = calledIn[job.graphOfRank[rank]];
        std::vector<CommunicatorId>& groups = job.communicatorOfGroup[rank];
        // Group 0 is that of all ranks, called or not.
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
