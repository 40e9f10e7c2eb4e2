// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/generated-job.h"

#include "workload/trace/communicator-table.h"

namespace nadi
{

Workload
MakeGeneratedWorkload(GeneratedJob job)
{
    Workload workload;
    workload.graphs = std::move(job.graphs);
    workload.graphOfRank = std::move(job.graphOfRank);
    // Equal lists of ranks become one communicator, whichever rank or name asks for them.
    CommunicatorTable communicators(workload.RankCount());
    for (uint32_t rank = 0; rank < workload.RankCount(); ++rank)
    {
        std::vector<CommunicatorId>& meanings = workload.communicatorOfGroup.emplace_back();
        for (const std::string& group : workload.GraphOf(RankId{rank}).GroupNames())
        {
            meanings.push_back(group.empty() ? CommunicatorId{0}
                                             : communicators.Find(job.groupOf(rank, group)));
        }
        if (job.peersOf)
        {
            workload.rankOfPeer.push_back(job.peersOf(rank));
        }
    }
    workload.communicators = communicators.Take();
    return workload;
}

} // namespace nadi
