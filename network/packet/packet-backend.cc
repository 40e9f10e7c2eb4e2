// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/packet-backend.h"

#include "common/check.h"
#include "network/packet/fabric-routing-adapter.h"

#include <ns3/callback.h>

namespace nadi
{

PacketBackend::PacketBackend(const Topology& topology,
                             const Routing& routing,
                             const PacketOptions& options,
                             EventLoop& loop)
    : m_loop(loop)
    , m_built(BuildFabric(topology, options))
{
    m_built.fabric->SetRouting(
        ns3::CreateObject<FabricRoutingAdapter>(routing, m_built.portOfLink, options.seed));
    for (const auto& nic : m_built.nics)
    {
        nic->SetDeliveredCallback(ns3::MakeCallback(&PacketBackend::OnArrived, this));
    }
}

PacketBackend::~PacketBackend()
{
    m_built.fabric->SetRouting(nullptr);
    for (const auto& nic : m_built.nics)
    {
        nic->SetDeliveredCallback({});
    }
}

void
PacketBackend::SetListener(DeliveryListener& listener)
{
    m_listener = &listener;
}

void
PacketBackend::Send(const Message& message)
{
    NADI_CHECK(m_listener != nullptr);
    NADI_CHECK(message.source != message.destination);
    NADI_CHECK(message.source.value < m_built.nics.size());
    NADI_CHECK(message.destination.value < m_built.nics.size());
    NADI_CHECK(message.size >= Bytes(0));
    m_built.nics[message.source.value]->PostMessage(
        {message.stream.value, message.destination.value},
        static_cast<uint64_t>(message.size.Count()),
        List(message));
}

void
PacketBackend::CloseStream(StreamId stream)
{
    for (const auto& nic : m_built.nics)
    {
        nic->CloseStream(stream.value);
    }
}

LinkCounters
PacketBackend::ReadLink(LinkId link) const
{
    const ns3::FabricPortCounters counted =
        m_built.portOfLink[link.value]->ReadCounters(m_loop.Now().Ps());
    LinkCounters counters;
    counters.bytes = Bytes(static_cast<int64_t>(counted.wireBytes));
    counters.packets = counted.dataFrames;
    counters.maxQueue = Bytes(static_cast<int64_t>(counted.maxQueueBytes));
    return counters;
}

NetworkTotals
PacketBackend::ReadTotals() const
{
    const int64_t nowPs = m_loop.Now().Ps();
    NetworkTotals totals;
    for (ns3::FabricPort* port : m_built.portOfLink)
    {
        const ns3::FabricPortCounters counted = port->ReadCounters(nowPs);
        totals.packets += counted.ownDataFrames;
        totals.packetHops += counted.dataFrames;
    }
    return totals;
}

void
PacketBackend::CheckConservation() const
{
    for (const ns3::FabricPort* port : m_built.portOfLink)
    {
        port->CheckConservation();
    }
}

uint32_t
PacketBackend::QueuePairCount() const
{
    uint32_t count = 0;
    for (const auto& nic : m_built.nics)
    {
        count += nic->GetNQueuePairs();
    }
    return count;
}

uint64_t
PacketBackend::List(const Message& message)
{
    const InFlight listed{message, m_loop.Now()};
    if (m_freePlaces.empty())
    {
        m_messages.push_back(listed);
        return m_messages.size() - 1;
    }
    const uint64_t place = m_freePlaces.back();
    m_freePlaces.pop_back();
    m_messages[place] = listed;
    return place;
}

void
PacketBackend::OnArrived(uint64_t place)
{
    const Message& message = m_messages[place].message;
    const uint64_t ends = (uint64_t{message.destination.value} << 32) | message.source.value;
    const EventOrder order{EventOrder::Kind::Delivery,
                           {ends, message.stream.value, message.key.major, message.key.minor}};
    m_loop.ScheduleAt(m_loop.Now(), order, *this, place);
}

void
PacketBackend::OnEvent(uint64_t place)
{
    const InFlight delivered = m_messages[place];
    m_freePlaces.push_back(place);
    m_listener->OnMessageDelivered({delivered.message, delivered.sent, m_loop.Now()});
}

} // namespace nadi
