// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/packet-backend.h"

#include "common/check.h"
#include "common/error.h"
#include "common/unit-parser.h"
#include "network/backend-kind.h"
#include "network/delivery-order.h"
#include "network/late-message.h"
#include "network/packet/load-balancers.h"
#include "network/packet/stuck-causes.h"

#include <fmt/format.h>
#include <ns3/callback.h>
#include <ns3/fabric-link-plan.h>
#include <ns3/fabric-pcap-helper.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace nadi
{

namespace
{

/// Stands for the failure among the places of messages.
constexpr uint64_t FAILURE = std::numeric_limits<uint64_t>::max();

/// Longer ones are looked at before they are sent: their frames would be simulated for hours before
/// the clock ends.
constexpr Bytes LONG_MESSAGE{int64_t{1} << 40};

} // namespace

PacketBackend::PacketBackend(const Topology& topology,
                             const Routing& routing,
                             const PacketOptions& options,
                             Ns3EventLoop& loop)
    : m_topology(topology)
    , m_loop(loop)
    , m_usualRouting(routing)
    , m_options(options)
    , m_built(BuildFabric(topology, options))
    , m_pairs(m_built.fabric)
    , m_routing(ns3::CreateObject<FabricRoutingAdapter>(topology, routing, m_built, options))
    , m_faults({topology, routing, m_built, loop}, m_routing)
    , m_deadlocks(topology, m_built, *m_routing, loop)
{
    // Before CheckBuffers, which asks the routing whether frames may cross a node.
    m_built.fabric->SetRouting(m_routing);
    m_built.fabric->SetFailedCallback(ns3::MakeCallback(&PacketBackend::OnFailed, this));
    m_built.fabric->SetClockEndCallback(ns3::MakeCallback(&PacketBackend::OnClockEnd, this));
    CheckBuffers(topology, m_built, options);
    for (uint32_t node = 0; node < m_built.fabric->GetNNodes(); ++node)
    {
        m_built.fabric->GetNode(node).SetDeliveredCallback(
            ns3::MakeCallback(&PacketBackend::OnArrived, this));
    }
    m_loop.SetEndOfArrivalsListener(*this);
    if (options.pfc)
    {
        // Only with pauses can ports wait for each other in a circle.
        m_deadlocks.Start();
    }
}

PacketBackend::~PacketBackend()
{
    // ns-3's nodes, and with them the fabric, live until the event loop is destroyed. They must not
    // call back into this object after its end.
    m_built.fabric->SetRouting(nullptr);
    m_built.fabric->SetFailedCallback({});
    m_built.fabric->SetClockEndCallback({});
    for (uint32_t node = 0; node < m_built.fabric->GetNNodes(); ++node)
    {
        m_built.fabric->GetNode(node).SetDeliveredCallback({});
    }
}

void
PacketBackend::AddFaults(const std::vector<LinkFault>& faults)
{
    m_faults.Start(faults, m_options.rerouteAfter);
    const auto isDown = [](const LinkFault& fault) { return fault.isDown; };
    if (std::any_of(faults.begin(), faults.end(), isDown))
    {
        m_routing->ExpectFailures();
        // Where links fail, frames may cross NPUs that they usually do not cross, and these NPUs
        // then need memory.
        CheckBuffers(m_topology, m_built, m_options);
        // To tell afterwards which of the links that failed mattered: messages were meant to cross
        // them.
        m_usualRoutes.emplace(m_topology, m_usualRouting, m_options);
        // Other balancing than by flow may send over any link.
        m_isWanted.assign(m_topology.LinkCount(), m_options.loadBalancing.name != ECMP);
    }
}

std::vector<std::string>
PacketBackend::FindStuckCauses() const
{
    LookInside();
    return nadi::FindStuckCauses(m_topology, m_built, *m_routing, m_loop.Now());
}

void
PacketBackend::Capture(LinkId link, const std::string& file)
{
    ns3::FabricPcapHelper::EnablePcap(file, m_built.portOfLink[link.value]);
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
    Prepare();
    NADI_CHECK(message.source != message.destination);
    // Ends may be switches and memories too, whose numbers follow those of the NPUs.
    NADI_CHECK(message.source.value < m_topology.VertexCount());
    NADI_CHECK(message.destination.value < m_topology.VertexCount());
    NADI_CHECK(message.size >= Bytes(0));
    // For long messages only, as a look at the links of the sender costs time.
    if (message.Carried() > LONG_MESSAGE)
    {
        CheckEnds(message);
    }
    if (m_usualRoutes)
    {
        MarkWanted(message);
    }
    // The place goes through the fabric as the cookie of the message, and OnArrived gets it back.
    const uint32_t place = m_messages.Make({message, m_loop.Now()});
    if (HasMemo())
    {
        // The memo posts the message at the end of this instant, later, or never.
        m_memo->Send(message, place);
        return;
    }
    m_built.fabric->Post(
        m_pairs.FindOrOpen(message), static_cast<uint64_t>(message.Carried().Count()), place);
}

void
PacketBackend::CloseStream(StreamId stream)
{
    if (HasMemo())
    {
        m_memo->CloseStream(stream);
        return;
    }
    m_pairs.CloseStream(stream);
}

std::optional<uint32_t>
PacketBackend::Take(ClosedTraffic& traffic)
{
    Prepare();
    return HasMemo() ? m_memo->Take(traffic) : std::nullopt;
}

void
PacketBackend::EndPart(uint32_t traffic, uint32_t part)
{
    NADI_CHECK(m_memo != nullptr);
    m_memo->EndPart(traffic, part);
}

LinkCounters
PacketBackend::ReadLink(LinkId link) const
{
    LookInside();
    const ns3::FabricPortCounters counted =
        m_built.portOfLink[link.value]->ReadCounters(m_loop.Now().Ps());
    LinkCounters counters;
    counters.bytes = Bytes(static_cast<int64_t>(counted.wireBytes));
    counters.packets = counted.dataFrames;
    counters.maxQueue = Bytes(static_cast<int64_t>(counted.maxQueueBytes));
    counters.queue = Bytes(
        static_cast<int64_t>(m_built.portOfLink[link.value]->ReadQueueBytes(m_loop.Now().Ps())));
    counters.ecnMarks = counted.marks;
    counters.pauses = counted.pauses;
    counters.paused = SimTime::FromPs(counted.paused);
    counters.drops = counted.drops;
    counters.isWanted = !m_isWanted.empty() && m_isWanted[link.value];
    counters.hasAlteredRate = m_built.portOfLink[link.value]->HasAlteredRate();
    counters.retransmitted = Bytes(static_cast<int64_t>(counted.retransmittedBytes));
    return counters;
}

NetworkTotals
PacketBackend::ReadTotals() const
{
    LookInside();
    const int64_t nowPs = m_loop.Now().Ps();
    NetworkTotals totals;
    for (ns3::FabricPort* port : m_built.portOfLink)
    {
        const ns3::FabricPortCounters counted = port->ReadCounters(nowPs);
        // `packets` counts a frame at its sender only, `packetHops` on each link.
        totals.packets += counted.ownDataFrames;
        totals.packetHops += counted.dataFrames;
        totals.ecnMarks += counted.marks;
        totals.pauses += counted.pauses;
        totals.drops += counted.drops;
        totals.retransmissions += counted.ownRetransmissions;
        totals.trainSteps += port->CountTrainSteps();
    }
    for (uint32_t node = 0; node < m_built.fabric->GetNNodes(); ++node)
    {
        totals.memoryLooks += m_built.fabric->GetNode(node).GetNMemoryLooks();
    }
    totals.cnps = m_built.fabric->GetNNotifications();
    totals.slowdowns = m_built.fabric->GetNSlowdowns();
    totals.hasHeldFrames = m_built.fabric->HasHeldFrames();
    totals.trains = m_built.fabric->GetNTrains();
    totals.cutTrains = m_built.fabric->GetNCutTrains();
    totals.pairsGivenBack = m_built.fabric->GetNGivenBack();
    totals.reroutes = m_faults.RerouteCount();
    totals.memoMessages = m_memo ? m_memo->MessageCount() : 0;
    totals.memoAnswered = m_memo ? m_memo->AnsweredCount() : 0;
    totals.memoSkipped = m_memo ? m_memo->SkippedCount() : 0;
    return totals;
}

void
PacketBackend::CheckConservation() const
{
    LookInside();
    for (const ns3::FabricPort* port : m_built.portOfLink)
    {
        port->CheckConservation();
    }
}

uint32_t
PacketBackend::QueuePairCount() const
{
    return m_built.fabric->GetNQueuePairs();
}

void
PacketBackend::OnArrived(const ns3::FabricQueuePair& queuePair, uint64_t place)
{
    // The memo returns false where it simulates again what it has answered before: the message was
    // delivered then, and the cookie is no place in the table.
    if (HasMemo() && !m_memo->OnArrived(place))
    {
        return;
    }
    InFlight& arrived = m_messages[static_cast<uint32_t>(place)];
    arrived.retransmissions = static_cast<uint32_t>(queuePair.GetNRetransmissions());
    // Called within an event of the fabric, so the delivery goes up at the end of the instant,
    // sorted with the others (T4).
    m_loop.ScheduleAt(m_loop.Now(), MakeDeliveryOrder(arrived.message), *this, place);
}

/// The fabric calls this for a queue pair whose retries were all in vain. The run ends at this
/// instant, with an error that names the ends of the queue pair.
void
PacketBackend::OnFailed(ns3::FabricFlowKey flow)
{
    if (!m_failure.empty())
    {
        return; // one is enough to end the run
    }
    const VertexId source{flow.source};
    const VertexId destination{flow.destination};
    const bool hasWay = !m_built.fabric->GetPaths()
                             .FindEgresses(m_built.fabric->GetNode(flow.source), flow.destination)
                             .empty();
    m_failure = "a queue pair from " + m_topology.Vertex(source).name + " to " +
                m_topology.Vertex(destination).name + " gave up: " +
                (hasWay ? "nothing came back after all its retries" : "no way is left");
    // Not thrown here: this is called from within ns-3, and the run ends by an entry of the agenda.
    m_loop.ScheduleAt(m_loop.Now(), {EventOrder::Kind::Timer, {flow.source}}, *this, FAILURE);
}

/// What the clock says comes out of the loop's Run, or of the call that was made.
void
PacketBackend::OnClockEnd(const ns3::FabricPort& port)
{
    const LinkId id = m_routing->LinkOf(port);
    const TopologyLink& link = m_topology.Link(id);
    const auto usual = static_cast<uint64_t>(link.bandwidth.BitsPerSecond());
    const ns3::FabricLinkPlan* plan = port.GetTimes().GetPlan();
    const uint64_t rate = plan == nullptr ? usual : plan->GetRate(m_loop.Now().Ps(), usual);
    throw std::overflow_error(
        fmt::format("frames for the link {} -> {}, of {} and {}, arrive too late",
                    m_topology.Vertex(link.from).name,
                    m_topology.Vertex(link.to).name,
                    ToText(Bandwidth::FromBitsPerSecond(static_cast<int64_t>(rate))),
                    ToText(link.latency)));
}

/// By the fastest link of the sender alone.
void
PacketBackend::CheckEnds(const Message& message) const
{
    Bandwidth fastest;
    for (const LinkId link : m_topology.LinksFrom(message.source))
    {
        fastest = std::max(fastest, m_topology.Link(link).bandwidth);
    }
    const SimTime left = SimTime::Max() - m_loop.Now();
    const detail::Wide mostBits =
        detail::Wide{left.Ps()} * fastest.BitsPerSecond() / 1'000'000'000'000;
    if (detail::Wide{message.Carried().Count()} * 8 > mostBits)
    {
        ThrowTooLate(m_topology, message);
    }
}

/// Marks the way that ECMP takes while no link is down.
void
PacketBackend::MarkWanted(const Message& message)
{
    for (const LinkId link : m_usualRoutes->Find(message).links)
    {
        m_isWanted[link.value] = true;
    }
}

void
PacketBackend::OnEvent(uint64_t place)
{
    if (place == FAILURE)
    {
        throw NetworkFailure(m_failure);
    }
    Deliver(static_cast<uint32_t>(place));
}

void
PacketBackend::Expect(uint64_t place) const
{
    if (place != FAILURE)
    {
        m_listener->ExpectDelivery(m_messages[static_cast<uint32_t>(place)].message);
    }
}

void
PacketBackend::Deliver(uint32_t place)
{
    // Taken out before the listener is called: it may send, which uses places again.
    const InFlight delivered = m_messages.Take(place);
    if (HasMemo())
    {
        m_memo->OnDelivered(place, delivered.message, delivered.sent);
    }
    m_listener->OnMessageDelivered(
        {delivered.message, delivered.sent, m_loop.Now(), delivered.retransmissions});
}

void
PacketBackend::OnEndOfArrivals()
{
    m_built.fabric->FinishArrivals();
}

void
PacketBackend::OnEndOfInstant()
{
    if (m_memo)
    {
        m_memo->OnEndOfInstant();
    }
}

/// At the first message, when everything is set.
void
PacketBackend::Prepare()
{
    if (m_isPrepared)
    {
        return;
    }
    m_isPrepared = true;
    m_built.fabric->Prepare();
    // Only a prepared fabric knows whether frames can be lost or overtake each other.
    if (m_options.memo && CanRemember(*m_built.fabric))
    {
        m_memo = std::make_unique<PeriodMemo>(PeriodMemo::Surroundings{
            m_topology, m_usualRouting, m_options, m_built, m_pairs, m_loop, *this});
        m_memo->InterruptAtRandom(m_options.seed, m_options.memoInterrupt);
    }
}

/// The network is what it would be without a memo.
void
PacketBackend::LookInside() const
{
    if (m_memo)
    {
        m_memo->BringUpToDate();
    }
}

bool
PacketBackend::AwaitsBackground() const
{
    // A message may have no way until routes change. A pending change is background, but must keep
    // the run going then.
    return m_messages.Live() > 0 && m_faults.IsPending();
}

namespace
{

class PacketKind : public BackendKind
{
  public:
    static constexpr const char* Help =
        "Messages travel frame by frame, with queues, flow control and congestion control.";

    bool HasFrames() const override
    {
        return true;
    }

    std::unique_ptr<NetworkBackend> Make(const BackendSurroundings& from) const override
    {
        // Frames are carried by ns-3, so the run has its event loop.
        auto backend = std::make_unique<PacketBackend>(
            from.topology, from.routing, from.options, dynamic_cast<Ns3EventLoop&>(from.loop));
        backend->AddFaults(from.faults);
        return backend;
    }
};

NADI_REGISTER(BackendKind, PacketKind, "packet");

} // namespace

} // namespace nadi
