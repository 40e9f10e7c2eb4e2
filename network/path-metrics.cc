// SPDX-License-Identifier: GPL-2.0-only
#include "network/path-metrics.h"

#include "common/check.h"

#include <algorithm>

namespace nadi
{

namespace
{

/// After which time of a frame on `id` the switch at its end passes the frame on; none: it stores
/// it first, or there is no switch.
std::optional<SimTime>
FindHeadTime(const Topology& topology, LinkId id, const PacketOptions& options)
{
    const TopologyLink& link = topology.Link(id);
    const auto isFaster = [&](LinkId next)
    { return topology.Link(next).bandwidth > link.bandwidth; };
    const std::vector<LinkId>& onward = topology.LinksFrom(link.to);
    if (options.switching != Switching::CutThrough ||
        topology.Vertex(link.to).kind != VertexKind::Switch ||
        std::any_of(onward.begin(), onward.end(), isFaster))
    {
        return std::nullopt;
    }
    return std::max(options.header, Bytes(1)) / link.bandwidth;
}

} // namespace

SimTime
PathLatency(const Topology& topology, const std::vector<LinkId>& path, SimTime switchLatency)
{
    SimTime latency;
    for (const LinkId id : path)
    {
        const TopologyLink& link = topology.Link(id);
        latency += link.latency;
        if (topology.Vertex(link.to).kind == VertexKind::Switch)
        {
            latency += switchLatency;
        }
    }
    return latency;
}

MessageFrames
CutIntoFrames(Bytes size, const PacketOptions& options)
{
    NADI_CHECK(options.payload > Bytes(0));
    // The - 1 leaves the last frame out of the full ones, even if it is full.
    const int64_t full = std::max<int64_t>(size.Count() - 1, 0) / options.payload.Count();
    const Bytes lastWire = size - options.payload * full + options.header;
    return {.full = full,
            .fullWire = options.payload + options.header,
            .lastWire = std::max(lastWire, Bytes(1))};
}

/// A message is m full frames and a last one, at most as long. Frame k starts on hop h when so much
/// of it has come from hop h - 1 that it may be passed on, and frame k - 1 has left hop h:
///   start(k, h) = max(start(k, h - 1) + passed(k, h - 1) + latency(h - 1),
///                     start(k - 1, h) + time(k - 1, h)).
/// So the last start is the longest way through the grid of (frame, hop) from the first to the last
/// frame and hop, in steps of one frame or one hop. Every way crosses each hop's latency once,
/// which takes the latencies out. On hop h let a(h) be the time of a full frame and p(h) the part
/// after which it is passed on, q(h) that of the last frame; on the last hop H all of it. A way
/// steps into the row of the last frame at some hop j. Before, it takes p of hops 1..j-1 and m - 1
/// steps from frame to frame, best at the slowest of hops 1..j. So the longest is
///   max over j of [p(1) + ... + p(j-1) + (m - 1) max(a(1), ..., a(j)) + a(j) + q(j) + ... + q(H)].
SimTime
ComputePipelineTime(const std::vector<FrameTimes>& hops, int64_t fullFrames)
{
    SimTime lastToEnd; // q(j) + ... + q(H)
    for (const FrameTimes& hop : hops)
    {
        lastToEnd += hop.head.value_or(hop.last);
    }
    SimTime longest = lastToEnd;
    SimTime fullToHere; // p(1) + ... + p(j-1)
    SimTime slowest;
    for (const FrameTimes& hop : hops)
    {
        slowest = std::max(slowest, hop.full);
        if (fullFrames > 0)
        {
            longest =
                std::max(longest, fullToHere + slowest * (fullFrames - 1) + hop.full + lastToEnd);
        }
        fullToHere += hop.head.value_or(hop.full);
        lastToEnd = lastToEnd - hop.head.value_or(hop.last);
    }
    return longest;
}

SimTime
IdealTransferTime(const Topology& topology,
                  const std::vector<LinkId>& path,
                  Bytes size,
                  const PacketOptions& options)
{
    NADI_CHECK(!path.empty());
    const MessageFrames frames = CutIntoFrames(size, options);
    std::vector<FrameTimes> hops;
    for (const LinkId id : path)
    {
        const Bandwidth rate = topology.Link(id).bandwidth;
        hops.push_back({.full = frames.fullWire / rate,
                        .last = frames.lastWire / rate,
                        .head = FindHeadTime(topology, id, options)});
    }
    return ComputePipelineTime(hops, frames.full) +
           PathLatency(topology, path, options.switchLatency);
}

} // namespace nadi
