// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "system/collective-type.h"
#include "tests/support/run-yaml.h"
#include "tests/support/sim-time-text.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>

namespace nadi::test
{

/// One collective, in one chunk, on one dimension of equal links: as numbers, from which its time
/// can be derived, and as a configuration.
struct PacketCase
{
    std::string shape = "switch";
    uint32_t ranks = 4;
    CollectiveType type = CollectiveType::AllReduce;
    std::string algorithm = "ring";
    Bytes size{};
    Bandwidth rate = Bandwidth::FromBitsPerSecond(400'000'000'000);
    SimTime latency = SimTime::FromNs(500);
    Bytes payload{4096};
    Bytes header{64};
    Bytes controlFrame{64};
    SimTime endpointDelay = SimTime::FromNs(10);
    std::optional<Bandwidth> reduction = std::nullopt;

    int64_t Ranks() const
    {
        return ranks;
    }

    /// Links between neighbours.
    int64_t Hops() const
    {
        return shape == "switch" ? 2 : 1;
    }

    std::string Yaml() const
    {
        const std::string name(ToText(type));
        const std::string sum =
            reduction ? fmt::format("{} b/s", reduction->BitsPerSecond()) : "none";
        return fmt::format(
            "workload: {{collective: {{type: {}, size: {} B}}}}\n"
            "system: {{collectives: {{{}: {}}}, chunks: 1, chunks-in-flight: 1,\n"
            "  endpoint-delay: {} ps, reduction-bandwidth: {}}}\n"
            "network:\n"
            "  dimensions: [{{shape: {}, size: {}, bandwidth: {} b/s, latency: {} ps}}]\n"
            "  packet: {{payload: {} B, header: {} B, control-frame: {} B}}\n",
            name,
            size.Count(),
            name,
            algorithm,
            endpointDelay.Ps(),
            sum,
            shape,
            ranks,
            rate.BitsPerSecond(),
            latency.Ps(),
            payload.Count(),
            header.Count(),
            controlFrame.Count());
    }

    RunResults Run() const
    {
        RunResults results = RunYaml({.yaml = Yaml(), .settings = {}, .scrambleSeed = {}});
        REQUIRE(results.status == RunStatus::Done);
        return results;
    }
};

/// Time of a frame with `payload` bytes on a wire: rounded up to a picosecond, frame by frame. A
/// frame of nothing at all still is a byte.
inline SimTime
FrameTime(const PacketCase& net, Bytes payload)
{
    return std::max(payload + net.header, Bytes(1)) / net.rate;
}

/// Time of one frame after the other: how long a message keeps a port busy.
///
/// n full frames of F, then a short one of R for what is left (or for an empty message).
inline SimTime
PortTime(const PacketCase& net, Bytes size)
{
    const int64_t full = size.Count() / net.payload.Count();
    const Bytes rest(size.Count() % net.payload.Count());
    const bool hasShort = full == 0 || rest > Bytes(0);
    return FrameTime(net, net.payload) * full + (hasShort ? FrameTime(net, rest) : SimTime());
}

/// Time of a message alone from its send to its delivery over `hops` equal links.
///
/// The frames leave the first port back to back, so the last one leaves it after PortTime. Every
/// further hop stores each frame before it sends it on, which costs the whole message one time of
/// its first frame: the full frames arrive spaced by F and go on spaced by F, each hop F later; the
/// short last one arrives while the full one before it is under way, and follows it at once. Each
/// link adds its latency.
inline SimTime
MessageTime(const PacketCase& net, Bytes size, int64_t hops)
{
    const Bytes first = std::min(size, net.payload);
    return PortTime(net, size) + FrameTime(net, first) * (hops - 1) + net.latency * hops;
}

/// What a receiver does before the bytes of a message may be used.
inline SimTime
CopyTime(const PacketCase& net)
{
    return net.endpointDelay;
}

inline SimTime
ReduceTime(const PacketCase& net, Bytes size)
{
    return net.endpointDelay + (net.reduction ? size / *net.reduction : SimTime());
}

/// The largest of the `parts` in which a size is cut.
inline Bytes
LargestPart(Bytes size, int64_t parts)
{
    return Bytes((size.Count() + parts - 1) / parts);
}

inline Bytes
SmallestPart(Bytes size, int64_t parts)
{
    return Bytes(size.Count() / parts);
}

} // namespace nadi::test
