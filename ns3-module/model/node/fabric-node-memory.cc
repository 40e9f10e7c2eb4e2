// SPDX-License-Identifier: GPL-2.0-only
// The memory of a node: what is stored, who is paused because of it, and how much it needs.
#include "fabric-headroom.h"
#include "fabric-node.h"

#include "ns3/fabric-port.h"
#include "ns3/fabric-protocol.h"
#include "ns3/fabric.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Most instants of arrivals between the end of a calm and the next one.
constexpr uint32_t MOST_PATIENCE = 16384;

} // namespace

uint64_t
FabricNode::ComputeLeastBuffer() const
{
    return IsForwarding() ? FabricSharedBuffer::ComputeLeastSize(MakeBufferSettings()) : 0;
}

bool
FabricNode::CanDrop() const
{
    return GetMemorySize() != 0 && (!m_hasPfc || m_pfcHeadroom != 0 || m_outgrowsHeadroom);
}

/// Whether faults of some link let more come in than the headroom is computed for.
bool
FabricNode::OutgrowsHeadroom() const
{
    const FabricProtocol& protocol = GetFabric().GetProtocol();
    const uint32_t priorities = GetFabric().GetRouting().GetNPriorities();
    return m_hasPfc && std::any_of(m_ports.begin(),
                                   m_ports.end(),
                                   [&](const Ptr<FabricPort>& port)
                                   { return OutgrowsFabricHeadroom(*port, protocol, priorities); });
}

void
FabricNode::PrepareCalm()
{
    m_isCalm = m_buffer && CanBeCalm() && GetFabric().FormsTrains();
    for (const Ptr<FabricPort>& port : m_ports)
    {
        if (m_isCalm)
        {
            port->StoreNowhere();
        }
    }
}

uint64_t
FabricNode::ComputeMostClaimed() const
{
    // Beside what the ports claim, a frame may come by each port in one instant, and two answers
    // (an acknowledgement and a congestion notification) may be sent because of it.
    const FabricProtocol& protocol = GetFabric().GetProtocol();
    const uint64_t full = protocol.GetFullFrame();
    const uint64_t frames = m_buffer->ComputeCalmBytes() / full;
    // 2 stands for the data frame and for the fraction of a frame that the division cuts off.
    const uint64_t arrivals = GetNPorts() * (2 + 2 * protocol.GetControlFrame() / full);
    return frames - std::min(frames, arrivals);
}

/// Called when the claims of the ports exceed what is surely calm: brings them up to date, and ends
/// the calm unless a quarter of what may be claimed is free then. Where frames may be dropped after
/// that, trains end in the whole network, because receivers of trains take a frame as proof that
/// all before it have come (docs/trains.md).
void
FabricNode::CheckCalm(int64_t now)
{
    // A port that was not touched for a while may claim more than it needs.
    for (const Ptr<FabricPort>& port : m_ports)
    {
        port->Refresh(now);
    }
    // Close to the limit, this walk over all ports would be repeated for nothing.
    if (m_claimed <= m_mostClaimed - m_mostClaimed / 4)
    {
        return;
    }
    if (CanDrop())
    {
        GetFabric().EndTrains(now);
        return;
    }
    EndTrains(now);
}

/// After the arrivals of an instant: the calm begins again where the memory is quiet. Each end of
/// a calm makes the next one wait longer, so that trains are not stopped as soon as they begin.
void
FabricNode::CalmDown(int64_t now)
{
    if (m_patience > 0)
    {
        --m_patience;
    }
    else if (!CanDrop() && CanBeCalm() && GetFabric().FormsTrains() && IsQuiet())
    {
        BeginCalm(now);
    }
}

/// Whether nobody is paused, and a quarter of what calm ports may claim is stored at most.
bool
FabricNode::IsQuiet() const
{
    const uint64_t full = GetFabric().GetProtocol().GetFullFrame();
    return !m_buffer->IsPausing() && m_buffer->GetStoredBytes() <= m_mostClaimed / 4 * full;
}

/// The reverse of EndTrains.
void
FabricNode::BeginCalm(int64_t now)
{
    m_isCalm = true;
    for (const Ptr<FabricPort>& port : m_ports)
    {
        port->Settle(now);
        port->StoreNowhere();
    }
    NS_ABORT_MSG_IF(m_buffer->GetStoredBytes() != 0, "frames are stored that wait nowhere");
    for (const Ptr<FabricPort>& port : m_ports)
    {
        if (port->IsLinkUp())
        {
            port->ReconsiderTrains(now);
            port->GetPeer().ReconsiderTrains(now);
        }
    }
    // What they claim, and until when their queues are surely short, is computed anew.
    for (const Ptr<FabricPort>& port : m_ports)
    {
        port->Refresh(now);
        if (port->IsLinkUp())
        {
            port->GetPeer().Refresh(now);
        }
    }
}

void
FabricNode::EndTrains(int64_t now)
{
    const bool wasCalm = m_isCalm;
    m_isCalm = false;
    m_patience = m_nextPatience;
    m_nextPatience = std::min(2 * m_nextPatience, MOST_PATIENCE);
    // Three rounds. First, no port here and no peer forms trains any more, and the peers take back
    // what has not started. So what the ports here still expect is on the links; in the second
    // round it gets events of its own. Last, the memory counts what waits.
    for (const Ptr<FabricPort>& port : m_ports)
    {
        if (port->IsLinkUp())
        {
            port->StopTrains(now);
            port->GetPeer().StopTrains(now);
        }
    }
    for (const Ptr<FabricPort>& port : m_ports)
    {
        port->StopExpecting(now);
    }
    for (const Ptr<FabricPort>& port : m_ports)
    {
        // A memory that was not calm has counted what waits all along.
        if (!wasCalm)
        {
            continue;
        }
        port->StoreWaiting(*m_buffer, now);
        if (port->HoldsMemory() && !port->isListedHolder)
        {
            ListHolder(*port);
        }
    }
}

void
FabricNode::HandleInboxWithMemory(int64_t now)
{
    uint64_t arriving = 0;
    for (const FabricFrame& frame : m_inbox)
    {
        arriving += frame.IsData() ? frame.wireBytes : 0;
    }
    // Ports settle lazily, so the buffer may still count frames that have left. If even with all of
    // them nothing would be dropped, paused or resumed, the decision is the same either way, and
    // the ports need not settle. An egress never holds more than the whole buffer does.
    const bool isCalm = m_buffer->IsSurelyCalm(arriving, m_buffer->GetStoredBytes() + arriving);
    if (!isCalm)
    {
        SettleHolders(now);
    }
    // All arrivals are stored before anybody is paused: a decision at an instant sees all of them
    // (T3).
    m_buffer->BeginArrivals();
    HandleInbox(now);
    if (!isCalm)
    {
        ExchangePauses(now);
    }
}

void
FabricNode::ListHolder(FabricPort& port)
{
    port.isListedHolder = true;
    m_holders.push_back(&port);
}

/// Brings the counts of the memory up to date. Ports that hold none of it have nothing to give
/// back, so on a switch of thousands of ports only those are looked at that do; the others leave
/// the list.
void
FabricNode::SettleHolders(int64_t now)
{
    m_portLooks += m_holders.size();
    const auto isThrough = [now](FabricPort* port)
    {
        port->Settle(now);
        port->isListedHolder = port->HoldsMemory();
        return !port->isListedHolder;
    };
    m_holders.erase(std::remove_if(m_holders.begin(), m_holders.end(), isThrough), m_holders.end());
}

/// Requires: ExchangePauses was called. A pause that is over would be repeated otherwise.
void
FabricNode::RepeatPauses(int64_t now)
{
    const uint32_t priorities = GetFabric().GetRouting().GetNPriorities();
    for (const Ptr<FabricPort>& port : m_ports)
    {
        // Only a port with a plan of faults can have lost a pause.
        for (uint32_t i = 0; i < priorities && port->GetTimes().GetPlan(); ++i)
        {
            const FabricIngress ingress{port->GetIndex(),
                                        static_cast<FabricPriority>(FABRIC_DATA_PRIORITY + i)};
            if (m_buffer->IsPaused(ingress))
            {
                FabricFrame pause = MakePause(ingress, FabricFrameKind::Pause);
                pause.attempt = 1;
                port->Enqueue(pause, now);
            }
        }
    }
}

bool
FabricNode::Store(const FabricFrame& frame, FabricPort& egress, int64_t now)
{
    // Only the lossy buffer limits what an egress holds; reading it settles the port.
    const uint64_t egressBytes = m_hasPfc ? 0 : egress.ReadQueueBytes(now);
    return m_buffer->Store({frame.ingress, frame.ingressPriority}, frame.wireBytes, egressBytes);
}

/// Requires: all arrivals of the instant are stored, and the memory of what has left is given back
/// (SettleHolders).
void
FabricNode::ExchangePauses(int64_t now)
{
    for (const FabricIngress& ingress : m_buffer->TakePauses())
    {
        SendPause(ingress, FabricFrameKind::Pause, now);
    }
    for (const FabricIngress& ingress : m_buffer->TakeResumes())
    {
        SendPause(ingress, FabricFrameKind::Resume, now);
    }
    // While somebody is paused, each departure of what was stored may allow a resume, so the node
    // must hear of it.
    if (!m_buffer->IsPausing())
    {
        return;
    }
    m_portLooks += m_holders.size();
    for (FabricPort* port : m_holders)
    {
        port->WatchDepartures(now);
    }
}

void
FabricNode::SendPause(const FabricIngress& ingress, FabricFrameKind kind, int64_t now)
{
    m_ports[ingress.port]->Enqueue(MakePause(ingress, kind), now);
}

FabricFrame
FabricNode::MakePause(const FabricIngress& ingress, FabricFrameKind kind) const
{
    FabricFrame frame;
    frame.kind = kind;
    frame.wireBytes = GetFabric().GetProtocol().GetControlFrame();
    frame.detail = ingress.priority;
    frame.priority = FABRIC_CONTROL_PRIORITY;
    return frame;
}

FabricBufferSettings
FabricNode::MakeBufferSettings() const
{
    FabricBufferSettings settings;
    settings.size = m_bufferSize;
    settings.isLossless = m_hasPfc;
    settings.alpha = m_pfcAlpha;
    settings.egressAlpha = m_egressAlpha;
    settings.resumeOffset = m_pfcResumeOffset;
    settings.fullFrame = GetFabric().GetProtocol().GetFullFrame();
    settings.priorities = GetFabric().GetRouting().GetNPriorities();
    for (const Ptr<FabricPort>& port : m_ports)
    {
        settings.headroom.push_back(
            m_pfcHeadroom != 0
                ? m_pfcHeadroom
                : ComputeFabricHeadroom(*port, GetFabric().GetProtocol(), settings.priorities));
    }
    return settings;
}

} // namespace ns3
