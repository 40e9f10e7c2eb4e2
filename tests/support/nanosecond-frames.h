// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/network-options.h"
#include "network/topology.h"
#include "tests/support/frame-sizes.h"
#include "tests/support/usual-link.h"

#include <cstdint>
#include <string>
#include <vector>

/// \file
/// Networks whose times are easy to derive: a byte takes a nanosecond, a frame a microsecond.

namespace nadi
{

inline constexpr Bandwidth BYTE_PER_NS = Bandwidth::FromBitsPerSecond(8'000'000'000);
inline constexpr int64_t FRAME = 1000;
inline constexpr SimTime FRAME_TIME = SimTime::FromNs(FRAME);
inline constexpr SimTime CONTROL_TIME = SimTime::FromNs(CONTROL);

/// Frames of FRAME bytes without headers, control frames of CONTROL bytes.
inline PacketOptions
MakeFrameOptions()
{
    PacketOptions options;
    options.payload = Bytes(FRAME);
    options.header = Bytes(0);
    options.controlFrame = Bytes(CONTROL);
    return options;
}

/// A link from NPU 0 to a leaf, a spine to another leaf for each latency of its first link, and a
/// link to NPU 1. Link 0 leaves NPU 0; link 4 + 4i leads to the i-th spine.
inline Topology
MakeSpines(const std::vector<SimTime>& latencies)
{
    Topology topology;
    const VertexId npu0 = topology.AddVertex(VertexKind::Npu, "npu0");
    const VertexId npu1 = topology.AddVertex(VertexKind::Npu, "npu1");
    const VertexId leaf0 = topology.AddVertex(VertexKind::Switch, "leaf0");
    const VertexId leaf1 = topology.AddVertex(VertexKind::Switch, "leaf1");
    topology.AddLink(npu0, leaf0, BYTE_PER_NS, LATENCY);
    topology.AddLink(leaf1, npu1, BYTE_PER_NS, LATENCY);
    for (const SimTime latency : latencies)
    {
        const VertexId spine = topology.AddVertex(VertexKind::Switch, "spine");
        topology.AddLink(leaf0, spine, BYTE_PER_NS, latency);
        topology.AddLink(spine, leaf1, BYTE_PER_NS, LATENCY);
    }
    return topology;
}

/// NPUs around a switch, each with a rate of its own: links 2i to the switch, 2i + 1 back.
inline Topology
MakeUnequalStar(const std::vector<Bandwidth>& rates, SimTime forth, SimTime back)
{
    Topology topology;
    for (size_t i = 0; i < rates.size(); ++i)
    {
        topology.AddVertex(VertexKind::Npu, "npu" + std::to_string(i));
    }
    const VertexId middle = topology.AddVertex(VertexKind::Switch, "switch");
    for (uint32_t i = 0; i < rates.size(); ++i)
    {
        topology.AddUnequalLink(VertexId{i}, middle, {rates[i], forth}, {rates[i], back});
    }
    return topology;
}

/// Four NPUs in a circle; link 0 leads from the first to the second.
inline Topology
MakeCircle()
{
    Topology circle;
    for (uint32_t i = 0; i < 4; ++i)
    {
        circle.AddVertex(VertexKind::Npu, "npu" + std::to_string(i));
    }
    for (uint32_t i = 0; i < 4; ++i)
    {
        circle.AddLink(VertexId{i}, VertexId{(i + 1) % 4}, BYTE_PER_NS, LATENCY);
    }
    return circle;
}

} // namespace nadi
