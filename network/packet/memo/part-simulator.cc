// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/memo/part-simulator.h"

#include <ns3/fabric-port.h>

#include <algorithm>

namespace nadi
{

PartSimulator::PartSimulator(const Topology& topology, const BuiltFabric& built, OpenPairs& pairs)
    : m_topology(topology)
    , m_built(built)
    , m_pairs(pairs)
    , m_before(topology.LinkCount())
{
}

void
PartSimulator::CloseStream(StreamId stream)
{
    m_streams.erase(stream.value);
    m_pairs.CloseStream(stream);
}

/// Closed traffic does not count: its stream ends with the traffic, so its queue pairs send no
/// more.
bool
PartSimulator::HasOpenStream(const Period& period) const
{
    for (size_t i = 0; i < period.inputs.Count(); ++i)
    {
        const PeriodInput input = period.inputs[i];
        if (input.IsMessage() && IsOpen(input))
        {
            return true;
        }
    }
    return false;
}

void
PartSimulator::Post(Period& period, uint32_t index, const Message& message, uint64_t cookie)
{
    ns3::Fabric& fabric = *m_built.fabric;
    const ns3::FabricPairHandle pair = m_pairs.FindOrOpen(message);
    // The order matters: idle is asked before the message makes the queue pair busy, and an owner
    // can be set only once a message was posted and the queue pair has an object.
    period.busyPairs += fabric.IsIdle(pair) ? 1 : 0;
    fabric.Post(pair, static_cast<uint64_t>(message.Carried().Count()), cookie);
    fabric.SetOwner(pair, index);
}

void
PartSimulator::CloseAgain(const Period& period)
{
    for (size_t i = 0; i < period.inputs.Count(); ++i)
    {
        const PeriodInput input = period.inputs[i];
        if (!IsOpen(input))
        {
            m_pairs.CloseStream(input.message.stream);
        }
    }
}

bool
PartSimulator::IsAsNew(const PeriodInput& input) const
{
    const auto pair = m_pairs.Find(input.message);
    // A queue pair that is not open has never sent, or its stream was closed: the next message
    // makes a new one.
    return !pair || m_built.fabric->IsAsNew(*pair);
}

bool
PartSimulator::IsAtRest(const Period& period, int64_t now) const
{
    // The memory of a node (a resource from LinkCount() on) need not be asked: what it stores waits
    // at a port, or is being sent there.
    const auto isAtRest = [&](uint32_t resource) {
        return resource >= m_topology.LinkCount() || m_built.portOfLink[resource]->ComesToRest(now);
    };
    return std::all_of(period.resources.begin(), period.resources.end(), isAtRest);
}

void
PartSimulator::KeepCounters(Period& period)
{
    // The counters of the first `counted` resources are kept already.
    for (; period.counted < period.resources.size(); ++period.counted)
    {
        const uint32_t link = period.resources[period.counted];
        if (link < m_topology.LinkCount())
        {
            ns3::FabricPort& port = *m_built.portOfLink[link];
            // Sums are compared with these later. The largest queue is no sum, so it is counted
            // from 0 for the period.
            m_before[link] = port.GetCounters();
            port.ExchangeMaxQueue(0);
        }
    }
}

void
PartSimulator::RestoreCounters(Period& period)
{
    for (size_t i = 0; i < period.counted; ++i)
    {
        const uint32_t link = period.resources[i];
        if (link < m_topology.LinkCount())
        {
            ns3::FabricPort& port = *m_built.portOfLink[link];
            // The largest queue of the run is the larger of that before the period and that in it.
            const uint64_t most = port.ExchangeMaxQueue(0);
            port.ExchangeMaxQueue(std::max(most, m_before[link].maxQueueBytes));
        }
    }
    period.counted = 0;
}

ns3::FabricPortCounters
PartSimulator::ReadGain(LinkId link) const
{
    return m_built.portOfLink[link.value]->GetCounters().Since(m_before[link.value]);
}

void
PartSimulator::AddGains(const Period& period, const PeriodNode& node)
{
    const std::vector<LinkId>& links = period.labels.GetLinks();
    for (size_t label = 0; label < links.size(); ++label)
    {
        // By label: the gains were recorded on the links that had these labels in another period.
        m_built.portOfLink[links[label].value]->AddCounters(node.gains[label]);
    }
    m_built.fabric->AddSlowdowns(node.slowdowns);
}

/// Closed traffic is left out: its queue pairs end with the traffic, so they have no next frame.
void
PartSimulator::SkipFrames(const Period& period)
{
    const int64_t payload = m_built.fabric->GetProtocol().GetPayload();
    for (size_t i = 0; i < period.inputs.Count(); ++i)
    {
        const PeriodInput input = period.inputs[i];
        if (!input.IsMessage() || !IsOpen(input))
        {
            continue; // its queue pair sends no more
        }
        // An empty message is a frame too.
        const int64_t bytes = std::max<int64_t>(input.message.Carried().Count(), 1);
        const int64_t frames = (bytes + payload - 1) / payload;
        m_built.fabric->SkipFrames(m_pairs.FindOrOpen(input.message),
                                   static_cast<uint64_t>(frames));
    }
}

} // namespace nadi
