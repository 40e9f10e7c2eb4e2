// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/inspection/call-lists.h"

namespace nadi
{

CallLists::CallLists(const CheckedJob& job, Kind kind)
{
    std::map<CommunicatorId, Calls> calls;
    for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
    {
        if (!job.IsSound(RankId{rank}))
        {
            continue;
        }
        const ExecutionGraph& graph = job.workload.GraphOf(RankId{rank});
        const IssuePlan& plan = job.plan.PlanOf(RankId{rank});
        for (const uint32_t node :
             kind == Kind::Collective ? plan.CollectiveNodes() : plan.GroupAccesses())
        {
            // CollectiveNodes is in the static order, by which calls are numbered.
            calls[job.plan.CommunicatorOf(RankId{rank}, graph.Node(node))][rank].push_back(node);
        }
    }
    for (auto& [communicator, callers] : calls)
    {
        // A member that never calls has an empty list, and who is no member has none.
        Calls& members = m_calls[communicator];
        for (const RankId rank : job.workload.communicators[communicator.value].ranks)
        {
            if (job.IsSound(rank))
            {
                members[rank.value] = std::move(callers[rank.value]);
            }
        }
    }
}

} // namespace nadi
