// SPDX-License-Identifier: GPL-2.0-only
#include "network/analytical/analytical-backend.h"

#include "common/check.h"
#include "network/backend-kind.h"
#include "network/delivery-order.h"
#include "network/late-message.h"
#include "network/path-metrics.h"

#include <algorithm>
#include <stdexcept>

namespace nadi
{

AnalyticalBackend::AnalyticalBackend(const Topology& topology,
                                     const Routing& routing,
                                     const PacketOptions& options,
                                     EventLoop& loop)
    : m_topology(topology)
    , m_options(options)
    , m_loop(loop)
    , m_times(topology, routing, options)
    , m_ports(topology.LinkCount())
{
}

void
AnalyticalBackend::SetListener(DeliveryListener& listener)
{
    m_listener = &listener;
}

void
AnalyticalBackend::Send(const Message& message)
{
    NADI_CHECK(m_listener != nullptr);
    NADI_CHECK(message.size >= Bytes(0));
    try
    {
        SendInTime(message);
    }
    catch (const std::overflow_error&)
    {
        ThrowTooLate(m_topology, message);
    }
}

/// Throws std::overflow_error if the clock ends too soon for the message.
void
AnalyticalBackend::SendInTime(const Message& message)
{
    const TransferTime& time = m_times.Find(message);
    const SimTime delivered = Foretell(message, time);
    const uint32_t place = m_messages.Claim();
    InFlight& listed = m_messages[place];
    listed.message = message;
    listed.sent = m_loop.Now();
    listed.links = time.links;
    listed.hops = time.hops;
    // Scheduled at once and never moved: what is foretold does not change.
    m_loop.ScheduleAt(delivered, MakeDeliveryOrder(message), *this, place);
}

void
AnalyticalBackend::CloseStream(StreamId)
{
    // Queue pairs are forgotten in their turn; see SendOrder.
}

LinkCounters
AnalyticalBackend::ReadLink(LinkId link) const
{
    LinkCounters counters;
    counters.bytes = m_ports[link.value].bytes;
    counters.packets = m_ports[link.value].packets;
    return counters;
}

NetworkTotals
AnalyticalBackend::ReadTotals() const
{
    return m_totals;
}

/// When the message will be delivered, if it is sent now.
SimTime
AnalyticalBackend::Foretell(const Message& message, const TransferTime& time)
{
    Port& first = m_ports[time.first.value];
    const SimTime now = m_loop.Now();
    // The sending port needs no calendar: messages leave in the order of their sends, back to back,
    // so a later message finds no gap to fill.
    const SimTime start = std::max(now, first.sendsUntil);
    first.sendsUntil = start + time.firstLink;
    const SimTime received =
        m_ports[time.last.value].receiving.Take(start + time.lead, time.lastLink, now);
    // The three terms of docs/semantics.md 7. The first binds where nobody else uses the receiving
    // port; it can be later than the second, where a middle link is the slowest.
    const SimTime unhindered = std::max(start + time.total, received + time.lastLatency);
    // Only an earlier message that is delivered after (unhindered - slowest) can delay this one, so
    // the search need not look further back than that.
    const SimTime before = first.order.FindLast(message, unhindered - time.slowest);
    const SimTime delivered = std::max(unhindered, before + time.slowest);
    first.order.Add(message, delivered, now);
    return delivered;
}

void
AnalyticalBackend::OnEvent(uint64_t place)
{
    // Taken out before the listener is called: it may send, which uses places again.
    const InFlight delivered = m_messages.Take(static_cast<uint32_t>(place));
    Count(delivered);
    m_listener->OnMessageDelivered({delivered.message, delivered.sent, m_loop.Now()});
}

void
AnalyticalBackend::Expect(uint64_t place) const
{
    m_listener->ExpectDelivery(m_messages[static_cast<uint32_t>(place)].message);
}

/// Called at the delivery and not at the Send, so that counters never include frames that are still
/// to come.
void
AnalyticalBackend::Count(const InFlight& delivered)
{
    const MessageFrames frames = CutIntoFrames(delivered.message.Carried(), m_options);
    const uint64_t packets = frames.Count();
    const Bytes wire = frames.Wire();
    m_totals.packets += packets;
    m_totals.packetHops += packets * delivered.hops;
    if (delivered.hops > TransferTime::SHORT)
    {
        for (const LinkId link : m_times.FindLinks(delivered.message))
        {
            CountOn(link, packets, wire);
        }
        return;
    }
    for (uint32_t hop = 0; hop < delivered.hops; ++hop)
    {
        CountOn(delivered.links[hop], packets, wire);
    }
}

void
AnalyticalBackend::CountOn(LinkId link, uint64_t packets, Bytes wire)
{
    Port& port = m_ports[link.value];
    port.bytes += wire;
    port.packets += packets;
}

namespace
{

class AnalyticalKind : public BackendKind
{
  public:
    static constexpr const char* Help = "Messages take the time of a formula, and wait for each "
                                        "other at the ports of the NPUs only.";

    bool SharesLinks() const override
    {
        return false;
    }

    bool CountsOnTheWay() const override
    {
        return false;
    }

    std::unique_ptr<NetworkBackend> Make(const BackendSurroundings& from) const override
    {
        return std::make_unique<AnalyticalBackend>(
            from.topology, from.routing, from.options, from.loop);
    }
};

NADI_REGISTER(BackendKind, AnalyticalKind, "analytical");

} // namespace

} // namespace nadi
