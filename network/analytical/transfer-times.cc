// SPDX-License-Identifier: GPL-2.0-only
#include "network/analytical/transfer-times.h"

#include "common/hash.h"

#include <algorithm>

namespace nadi
{

TransferTimes::TransferTimes(const Topology& topology,
                             const Routing& routing,
                             const PacketOptions& options)
    : m_options(options)
    , m_routes(topology, routing, options)
    , m_asked(PLACES)
    , m_kept(PLACES)
{
    for (LinkId link{0}; link.value < topology.LinkCount(); ++link.value)
    {
        const Bandwidth bandwidth = topology.Link(link).bandwidth;
        m_links.push_back({.bandwidth = bandwidth,
                           .latency = PathLatency(topology, {link}, options.switchLatency),
                           .fullFrame = (options.payload + options.header) / bandwidth});
    }
}

const TransferTime&
TransferTimes::Find(const Message& message)
{
    const Key key{.source = message.source,
                  .destination = message.destination,
                  .way = WayIdentity(message.stream),
                  .carried = message.Carried()};
    const uint64_t hash = HashOf(key);
    const size_t place = hash % PLACES;
    const auto rest = static_cast<uint32_t>(hash >> 32);
    // Asked for the first time, or something else has come in between. Only 32 bits of the hash are
    // compared here. Where two keys agree in these bits, the comparison with `kept.key` below tells
    // them apart.
    if (m_asked[place] != rest)
    {
        m_asked[place] = rest;
        return m_answer = WorkOut(message);
    }
    Kept& kept = m_kept[place];
    if (kept.key != key)
    {
        kept.time = WorkOut(message);
        kept.key = key; // only now: what could not be worked out is not kept
    }
    return kept.time;
}

uint64_t
TransferTimes::HashOf(const Key& key)
{
    const uint64_t ends = uint64_t{key.source.value} << 32 | key.destination.value;
    // Large odd factors keep apart what a plain sum would mix up, such as way 1 with 2 bytes and
    // way 2 with 1 byte.
    return Mix64(ends + key.way * 0xa0761d6478bd642fU +
                 static_cast<uint64_t>(key.carried.Count()) * 0xe7037ed1a0b428dbU);
}

TransferTime
TransferTimes::WorkOut(const Message& message)
{
    ++m_workedOut;
    const MessageRoute& route = m_routes.Find(message);
    const MessageFrames frames = CutIntoFrames(message.Carried(), m_options);
    FillHops(route.links, frames.lastWire);
    TransferTime time;
    for (const FrameTimes& hop : m_hops)
    {
        const SimTime busy = hop.full * frames.full + hop.last;
        time.slowest = std::max(time.slowest, busy);
        time.lastLink = busy;
        // The first frame is a full one unless the message has one frame only.
        time.lead += frames.full > 0 ? hop.full : hop.last;
    }
    const FrameTimes& last = m_hops.back();
    time.firstLink = m_hops.front().full * frames.full + m_hops.front().last;
    time.total = ComputePipelineTime(m_hops, frames.full) + route.latency;
    time.first = route.links.front();
    time.last = route.links.back();
    time.lastLatency = m_links[time.last.value].latency;
    // `lead` has the first frame's time on all links by now. It is wanted until that frame can
    // start on the last link, so the last link's own time and latency are taken out again.
    time.lead =
        time.lead + route.latency - (frames.full > 0 ? last.full : last.last) - time.lastLatency;
    time.hops = static_cast<uint32_t>(route.links.size());
    if (time.hops <= TransferTime::SHORT)
    {
        std::copy(route.links.begin(), route.links.end(), time.links.begin());
    }
    return time;
}

void
TransferTimes::FillHops(const std::vector<LinkId>& links, Bytes lastFrame)
{
    m_hops.clear();
    Bandwidth rate;
    SimTime last;
    for (const LinkId link : links)
    {
        const LinkTimes& times = m_links[link.value];
        // The links of a route mostly have one rate, and the division is the costly part here.
        if (times.bandwidth != rate)
        {
            rate = times.bandwidth;
            last = lastFrame / rate;
        }
        m_hops.push_back({.full = times.fullFrame, .last = last});
    }
}

} // namespace nadi
