// SPDX-License-Identifier: GPL-2.0-only
#include "network/analytical/analytical-backend.h"

#include "common/check.h"
#include "common/unit-parser.h"
#include "network/backend-kind.h"
#include "network/delivery-order.h"

#include <fmt/format.h>

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
    , m_routes(topology, routing, options)
{
    for (LinkId link{0}; link.value < topology.LinkCount(); ++link.value)
    {
        const Bandwidth bandwidth = topology.Link(link).bandwidth;
        Port port;
        port.bandwidth = bandwidth;
        port.latency = PathLatency(topology, {link}, options.switchLatency);
        port.fullFrame = (options.payload + options.header) / bandwidth;
        m_ports.push_back(port);
    }
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
    const MessageRoute& route = m_routes.Find(message);
    const SimTime delivered = ForetellInTime(message, route);
    m_loop.ScheduleAt(delivered, MakeDeliveryOrder(message), *this, List(message, route.links));
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

AnalyticalBackend::Times
AnalyticalBackend::ComputeTimes(const MessageRoute& route, const MessageFrames& frames)
{
    m_hops.clear();
    Times times;
    Bandwidth rate;
    SimTime lastFrame;
    for (const LinkId link : route.links)
    {
        const Port& port = m_ports[link.value];
        // The links of a route mostly have one rate, and the division is the costly part here.
        if (port.bandwidth != rate)
        {
            rate = port.bandwidth;
            lastFrame = frames.lastWire / rate;
        }
        m_hops.push_back({.full = port.fullFrame, .last = lastFrame});
        const SimTime busy = port.fullFrame * frames.full + lastFrame;
        times.slowest = std::max(times.slowest, busy);
        times.lastLink = busy;
        times.lead += frames.full > 0 ? port.fullFrame : lastFrame;
    }
    const FrameTimes& first = m_hops.front();
    const FrameTimes& last = m_hops.back();
    times.firstLink = first.full * frames.full + first.last;
    times.total = ComputePipelineTime(m_hops, frames.full) + route.latency;
    // `lead` has the first frame's time on all links by now. It is wanted until that frame can
    // start on the last link, so the last link's own time and latency are taken out again.
    times.lead = times.lead + route.latency - (frames.full > 0 ? last.full : last.last) -
                 m_ports[route.links.back().value].latency;
    return times;
}

/// As Foretell; says which message it is that the clock ends too soon for.
SimTime
AnalyticalBackend::ForetellInTime(const Message& message, const MessageRoute& route)
{
    try
    {
        return Foretell(
            message, route, ComputeTimes(route, CutIntoFrames(message.Carried(), m_options)));
    }
    catch (const std::overflow_error&)
    {
        throw std::overflow_error(
            fmt::format("a message of {} from {} to {} arrives too late",
                        ToText(message.size),
                        m_topology.Vertex(VertexId{message.source.value}).name,
                        m_topology.Vertex(VertexId{message.destination.value}).name));
    }
}

/// When the message will be delivered, if it is sent now.
SimTime
AnalyticalBackend::Foretell(const Message& message, const MessageRoute& route, const Times& times)
{
    Port& first = m_ports[route.links.front().value];
    Port& last = m_ports[route.links.back().value];
    const SimTime now = m_loop.Now();
    const SimTime start = std::max(now, first.sendsUntil);
    first.sendsUntil = start + times.firstLink;
    const SimTime received = last.receiving.Take(start + times.lead, times.lastLink, now);
    // The three terms of docs/semantics.md 7. The first binds where nobody else uses the receiving
    // port; it can be later than the second, where a middle link is the slowest.
    const SimTime unhindered = std::max(start + times.total, received + last.latency);
    // Only an earlier message that is delivered after (unhindered - slowest) can delay this one, so
    // the search need not look further back than that.
    const SimTime before = first.order.FindLast(message, unhindered - times.slowest);
    const SimTime delivered = std::max(unhindered, before + times.slowest);
    first.order.Add(message, delivered, now);
    return delivered;
}

uint32_t
AnalyticalBackend::List(const Message& message, const std::vector<LinkId>& links)
{
    InFlight listed{message, m_loop.Now(), {}, static_cast<uint32_t>(links.size())};
    if (links.size() <= SHORT)
    {
        std::copy(links.begin(), links.end(), listed.links.begin());
    }
    return m_messages.Make(listed);
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
AnalyticalBackend::Count(const InFlight& delivered)
{
    const MessageFrames frames = CutIntoFrames(delivered.message.Carried(), m_options);
    m_totals.packets += frames.Count();
    m_totals.packetHops += frames.Count() * delivered.hops;
    if (delivered.hops > SHORT)
    {
        for (const LinkId link : m_routes.Find(delivered.message).links)
        {
            CountOn(link, frames);
        }
        return;
    }
    for (uint32_t hop = 0; hop < delivered.hops; ++hop)
    {
        CountOn(delivered.links[hop], frames);
    }
}

void
AnalyticalBackend::CountOn(LinkId link, const MessageFrames& frames)
{
    Port& port = m_ports[link.value];
    port.bytes += frames.Wire();
    port.packets += frames.Count();
}

namespace
{

class AnalyticalKind : public BackendKind
{
  public:
    static constexpr const char* Help = "Messages take the time of a formula, and wait for each "
                                        "other at the ports of the NPUs only.";

    std::unique_ptr<NetworkBackend> Make(const BackendSurroundings& from) const override
    {
        return std::make_unique<AnalyticalBackend>(
            from.topology, from.routing, from.options, from.loop);
    }
};

NADI_REGISTER(BackendKind, AnalyticalKind, "analytical");

} // namespace

} // namespace nadi
