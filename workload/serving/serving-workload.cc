// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/serving-workload.h"

#include "workload/execution-graph-builder.h"
#include "workload/trace/communicator-table.h"

#include <utility>

namespace nadi
{

namespace
{

std::vector<uint32_t>
NumbersOf(const std::vector<RankId>& ranks)
{
    std::vector<uint32_t> numbers;
    for (const RankId rank : ranks)
    {
        numbers.push_back(rank.value);
    }
    return numbers;
}

/// Groups of one rank are never called.
CommunicatorId
FindGroup(CommunicatorTable& communicators, const std::vector<RankId>& ranks)
{
    return ranks.size() > 1 ? communicators.Find(NumbersOf(ranks)) : CommunicatorId{0};
}

/// Says for each rank of the instance which communicators the groups in graphs of passes are.
void
NameGroups(const ServingInstance& instance, CommunicatorTable& communicators, RankNames& names)
{
    for (uint32_t stage = 0; stage < instance.Model().pipeline; ++stage)
    {
        for (uint32_t replica = 0; replica < instance.Replicas(); ++replica)
        {
            std::vector<RankId> tensorGroup;
            for (uint32_t rank = 0; rank < instance.Model().tensor; ++rank)
            {
                tensorGroup.push_back(instance.RankAt(stage, replica, rank));
            }
            const CommunicatorId tensor = FindGroup(communicators, tensorGroup);
            const CommunicatorId expert =
                FindGroup(communicators, instance.ExpertGroup(stage, replica));
            for (const RankId rank : tensorGroup)
            {
                // In the order of PassGroup, by which graphs of passes name them.
                names.communicatorOfGroup[rank.value] = {CommunicatorId{0}, tensor, expert};
            }
        }
    }
}

} // namespace

ServingWorkload
MakeServingWorkload(const std::deque<ServingInstance>& instances, uint32_t ranks)
{
    ServingWorkload serving;
    Workload& workload = serving.workload;
    // An empty graph for all ranks: whatever they do comes with episodes.
    workload.graphs.push_back(ExecutionGraphBuilder("serving").Build());
    workload.graphOfRank.assign(ranks, 0);
    workload.communicatorOfGroup.assign(ranks, {CommunicatorId{0}});
    RankNames names;
    names.communicatorOfGroup.assign(ranks, {CommunicatorId{0}});
    CommunicatorTable communicators(ranks);
    for (const ServingInstance& instance : instances)
    {
        NameGroups(instance, communicators, names);
    }
    workload.communicators = communicators.Take();
    serving.names = std::make_shared<const RankNames>(std::move(names));
    return serving;
}

} // namespace nadi
