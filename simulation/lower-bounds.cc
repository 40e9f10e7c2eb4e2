// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/lower-bounds.h"

#include "network/lower-bound.h"
#include "system/collective-bounds.h"

namespace nadi
{

SimTime
LowerBounds::Find(const CollectiveRecord& record)
{
    if (record.extremes)
    {
        return ComputeOfSplits(record); // no two are alike
    }
    // The key has all that the bound depends on.
    const Key key{record.communicator,
                  record.type,
                  record.smallestSize,
                  record.root,
                  record.IsReducedBySwitches()};
    const auto found = m_bounds.find(key);
    return found != m_bounds.end() ? found->second : m_bounds[key] = Compute(record);
}

/// Most types are bounded by the average over their members, too. No single member must send
/// 2 S (p - 1) / p in an all-reduce: where rates differ, fast NPUs can do the work of slow ones.
SimTime
LowerBounds::Compute(const CollectiveRecord& record)
{
    const Communicator& group = m_input.Workload().communicators[record.communicator.value];
    const CollectiveExtent extent{record.type,
                                  record.smallestSize,
                                  record.ranks,
                                  record.IsReducedBySwitches() ? ReducedBy::Switches
                                                               : ReducedBy::Members};
    CollectiveBytes bytes{{}, ComputeAverageTraffic(extent)};
    for (const RankId rank : group.ranks)
    {
        const bool isRoot = HasRoot(record.type) && rank == record.root;
        const MandatoryTraffic traffic =
            ComputeMandatoryTraffic(extent, isRoot ? MemberRole::Root : MemberRole::Peer);
        bytes.members.push_back({rank, traffic.out, traffic.in});
    }
    return ComputeLowerBound(m_fastest.Get(), bytes, FindLatency(record.communicator));
}

/// Of the members who send and receive most.
SimTime
LowerBounds::ComputeOfSplits(const CollectiveRecord& record)
{
    const ExchangeExtremes& most = *record.extremes;
    if (most.out == Bytes()) // nobody sends anything
    {
        return SimTime();
    }
    // No average: the extremes do not tell what all members together must send.
    CollectiveBytes bytes{{}, Bytes()};
    bytes.members.push_back({most.sender, most.out, Bytes()});
    bytes.members.push_back({most.receiver, Bytes(), most.in});
    return ComputeLowerBound(m_fastest.Get(), bytes, FindLatency(record.communicator));
}

/// `packet.switch-latency` counts whichever backend runs, as each of them adds it.
SimTime
LowerBounds::FindLatency(CommunicatorId communicator)
{
    const auto found = m_latencies.find(communicator);
    if (found != m_latencies.end())
    {
        return found->second;
    }
    return m_latencies[communicator] =
               FindSmallestLatency(m_input.Topology(),
                                   m_input.Workload().communicators[communicator.value].ranks,
                                   m_input.Config().network.packet.switchLatency);
}

} // namespace nadi
