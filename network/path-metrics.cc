// SPDX-License-Identifier: GPL-2.0-only
#include "network/path-metrics.h"

#include "common/check.h"

#include <algorithm>

namespace nadi
{

namespace
{

/// Replaces the longest paths known by `path` where it is longer.
void
Consider(const PathExample& path, LongestPaths& longest)
{
    if (path.hops > longest.byHops.hops)
    {
        longest.byHops = path;
    }
    if (longest.byLatency.hops == 0 || path.latency > longest.byLatency.latency)
    {
        longest.byLatency = path;
    }
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

/// A message is m full frames and a last one, at most as long. Frame k leaves hop h after it has
/// come from hop h - 1 and frame k - 1 has left hop h:
///   end(k, h) = max(end(k, h - 1) + latency(h - 1), end(k - 1, h)) + time(k, h).
/// So the last end is the longest way through the grid of (frame, hop) from the first to the last
/// frame and hop, in steps of one frame or one hop. Every way crosses each hop's latency once,
/// which takes the latencies out. With a(h) the time of a full frame on hop h and b(h) that of the
/// last, a way turns into the row of the last frame at some hop j. Before, it visits m full frames
/// and hops 1..j: once each hop, and m - 1 times more the slowest of them. So the longest is
///   max over j of [a(1) + ... + a(j) + (m - 1) max(a(1), ..., a(j)) + b(j) + ... + b(H)].
SimTime
IdealTransferTime(const Topology& topology,
                  const std::vector<LinkId>& path,
                  Bytes size,
                  const PacketOptions& options)
{
    NADI_CHECK(!path.empty() && options.payload > Bytes(0));
    const int64_t payload = options.payload.Count();
    const int64_t fullFrames = std::max<int64_t>(size.Count() - 1, 0) / payload;
    const Bytes fullWire = options.payload + options.header;
    const Bytes lastWire = size - options.payload * fullFrames + options.header;

    SimTime lastToEnd; // b(j) + ... + b(H)
    for (const LinkId id : path)
    {
        lastToEnd += lastWire / topology.Link(id).bandwidth;
    }
    SimTime longest = lastToEnd;
    SimTime fullToHere; // a(1) + ... + a(j)
    SimTime slowest;
    for (const LinkId id : path)
    {
        const Bandwidth rate = topology.Link(id).bandwidth;
        fullToHere += fullWire / rate;
        slowest = std::max(slowest, fullWire / rate);
        if (fullFrames > 0)
        {
            longest = std::max(longest, fullToHere + slowest * (fullFrames - 1) + lastToEnd);
        }
        lastToEnd = lastToEnd - lastWire / rate;
    }
    return longest + PathLatency(topology, path, options.switchLatency);
}

std::optional<LongestPaths>
FindLongestPaths(const Topology& topology,
                 const Routing& routing,
                 SimTime switchLatency,
                 uint32_t maxDestinations)
{
    NADI_CHECK(maxDestinations > 0);
    const uint32_t count = topology.NpuCount();
    if (count < 2)
    {
        return std::nullopt;
    }
    LongestPaths longest;
    longest.isSampled = count > maxDestinations;
    const uint32_t destinations = std::min(count, maxDestinations);
    for (uint32_t i = 0; i < destinations; ++i)
    {
        const VertexId destination{static_cast<uint32_t>(uint64_t{i} * count / destinations)};
        for (VertexId source{0}; source.value < count; ++source.value)
        {
            if (source != destination)
            {
                const uint64_t flow = MakeFlowHash(source, destination, 0);
                const auto path = routing.FindPath(source, destination, flow, 0);
                Consider({source,
                          destination,
                          static_cast<uint32_t>(path.size()),
                          PathLatency(topology, path, switchLatency)},
                         longest);
            }
        }
    }
    return longest;
}

} // namespace nadi
