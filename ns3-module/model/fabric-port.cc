// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-port.h"

#include "fabric-channel.h"
#include "fabric-node.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/make-event.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricPort");
NS_OBJECT_ENSURE_REGISTERED(FabricPort);

TypeId
FabricPort::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricPort")
            .SetParent<FabricDevice>()
            .SetGroupName("Fabric")
            .AddConstructor<FabricPort>()
            .AddAttribute("DataRate",
                          "Rate of transmission; a change applies from the next frame.",
                          DataRateValue(DataRate("400Gb/s")),
                          MakeDataRateAccessor(&FabricPort::SetDataRate, &FabricPort::GetDataRate),
                          MakeDataRateChecker())
            .AddTraceSource("Sniffer",
                            "A frame has arrived at this port: a packet of its wire size, made "
                            "only while a sink is connected.",
                            MakeTraceSourceAccessor(&FabricPort::m_snifferTrace),
                            "ns3::Packet::TracedCallback");
    return tid;
}

FabricPort::FabricPort()
    : m_arrivalEvent(MakeEvent(&FabricPort::OnArrival, this), false)
{
}

FabricPort::~FabricPort() = default;

void
FabricPort::JoinNode(FabricNode& node, uint16_t index)
{
    m_fabricNode = &node;
    m_index = index;
}

void
FabricPort::JoinChannel(Ptr<FabricChannel> channel, FabricPort& peer)
{
    NS_ABORT_MSG_IF(m_channel, "the port is connected already");
    NS_ABORT_MSG_IF(!m_fabricNode || !peer.m_fabricNode,
                    "a port is connected before it has a node");
    m_channel = channel;
    m_peer = &peer;
    m_delay = (channel->GetDelay() + peer.m_fabricNode->GetLatency()).GetTimeStep();
    m_context = peer.GetNode() ? peer.GetNode()->GetId() : Simulator::NO_CONTEXT;
}

FabricPort&
FabricPort::GetPeer() const
{
    NS_ABORT_MSG_IF(!m_peer, "the port is not connected");
    return *m_peer;
}

Ptr<Channel>
FabricPort::GetChannel() const
{
    return m_channel;
}

bool
FabricPort::IsLinkUp() const
{
    return m_peer != nullptr;
}

void
FabricPort::SetDataRate(DataRate rate)
{
    NS_ABORT_MSG_IF(rate.GetBitRate() == 0, "a port needs a data rate above zero");
    const int64_t now = IsLinkUp() ? Simulator::Now().GetTimeStep() : 0;
    Settle(now);
    m_dataRate = rate;
    m_transmitTime = FabricTransmitTime(rate.GetBitRate());
    AwaitArrival(now);
}

DataRate
FabricPort::GetDataRate() const
{
    return m_dataRate;
}

void
FabricPort::Settle(int64_t now)
{
    if (m_unsampled < now)
    {
        SampleQueue();
    }
    while (m_nextStart < now && !m_arbiter.IsEmpty())
    {
        CommitNext();
    }
}

void
FabricPort::Enqueue(const FabricFrame& frame, int64_t now)
{
    Settle(now);
    BecomeNonEmpty(now);
    m_arbiter.Insert(frame, now);
    m_ledger.enqueued += frame.wireBytes;
    m_unsampled = now;
    AwaitArrival(now);
}

void
FabricPort::Activate(FabricQueuePair& queuePair, int64_t now)
{
    BecomeNonEmpty(now);
    m_arbiter.Activate(queuePair);
    AwaitArrival(now);
}

FabricPortCounters
FabricPort::ReadCounters(int64_t now)
{
    Settle(now);
    FabricPortCounters ended = m_started;
    if (!m_inFlight.IsEmpty() && m_inFlight.Back().arrival - m_delay > now)
    {
        const FabricFrame& unfinished = m_inFlight.Back().frame;
        const bool isData = unfinished.kind == FabricFrameKind::Data;
        ended.wireBytes -= unfinished.wireBytes;
        ended.dataFrames -= isData;
        ended.ownDataFrames -= isData && unfinished.hop == 0;
    }
    return ended;
}

void
FabricPort::CheckConservation() const
{
    uint64_t inFlight = 0;
    for (std::size_t i = 0; i < m_inFlight.GetSize(); ++i)
    {
        inFlight += m_inFlight[i].frame.wireBytes;
    }
    NS_ABORT_MSG_IF(m_started.wireBytes != inFlight + m_ledger.handedOver,
                    "started bytes are not in flight plus handed over");
    NS_ABORT_MSG_IF(m_ledger.enqueued + m_ledger.own !=
                        m_arbiter.GetWaitingBytes() + m_started.wireBytes,
                    "arrived bytes are not waiting plus started");
}

void
FabricPort::DoDispose()
{
    m_arrivalEvent->Cancel();
    m_channel = nullptr;
    m_peer = nullptr;
    m_fabricNode = nullptr;
    FabricDevice::DoDispose();
}

void
FabricPort::BecomeNonEmpty(int64_t now)
{
    if (m_arbiter.IsEmpty())
    {
        m_nextStart = std::max(m_nextStart, now);
    }
}

void
FabricPort::SampleQueue()
{
    // Arrivals of that instant are complete, and its start, if any, is final: what then still
    // waits is the largest queue until the next arrival.
    if (m_nextStart == m_unsampled && !m_arbiter.IsEmpty())
    {
        CommitNext();
    }
    m_started.maxQueueBytes = std::max(m_started.maxQueueBytes, m_arbiter.GetWaitingBytes());
    m_unsampled = NEVER;
}

void
FabricPort::CommitNext()
{
    const FabricFrame frame = m_arbiter.Take();
    m_nextStart += m_transmitTime(frame.wireBytes);
    m_inFlight.PushBack({frame, m_nextStart + m_delay});
    const bool isData = frame.kind == FabricFrameKind::Data;
    const bool isOwn = isData && frame.hop == 0;
    m_started.wireBytes += frame.wireBytes;
    m_started.dataFrames += isData;
    m_started.ownDataFrames += isOwn;
    m_ledger.own += isOwn ? frame.wireBytes : 0;
}

void
FabricPort::AwaitArrival(int64_t now)
{
    // While frames are in flight the pending event stands for the first of them. Otherwise the
    // link is free, and the next frame starts now unless a later touch changes the choice.
    if (!m_inFlight.IsEmpty() || m_arbiter.IsEmpty())
    {
        return;
    }
    const int64_t arrival = m_nextStart + m_transmitTime(m_arbiter.PeekBytes()) + m_delay;
    if (arrival != m_expectedArrival)
    {
        ScheduleArrival(arrival, now);
    }
}

void
FabricPort::ScheduleArrival(int64_t at, int64_t now)
{
    m_expectedArrival = at;
    m_arrivalEvent->Ref(); // the simulator drops one reference when the event has run
    Simulator::ScheduleWithContext(m_context, TimeStep(at - now), PeekPointer(m_arrivalEvent));
}

void
FabricPort::OnArrival()
{
    const int64_t now = Simulator::Now().GetTimeStep();
    if (now != m_expectedArrival)
    {
        return; // a tentative start that was not to be
    }
    Settle(now);
    const FabricFrame frame = m_inFlight.Front().frame;
    m_inFlight.PopFront();
    m_ledger.handedOver += frame.wireBytes;
    m_expectedArrival = NEVER;
    if (m_inFlight.IsEmpty())
    {
        AwaitArrival(now);
    }
    else
    {
        ScheduleArrival(m_inFlight.Front().arrival, now);
    }
    m_peer->Receive(frame, now);
}

void
FabricPort::Receive(FabricFrame frame, int64_t now)
{
    ++frame.hop;
    frame.ingress = m_index;
    if (!m_snifferTrace.IsEmpty())
    {
        m_snifferTrace(Create<Packet>(frame.wireBytes));
    }
    m_fabricNode->Receive(frame, now);
}

} // namespace ns3
