// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/network-options.h"
#include "network/routing.h"
#include "network/topology.h"

#include <cstdint>
#include <optional>
#include <vector>

/// \file
/// What can be said of paths without simulating: for `nadi check` and for the results.

namespace nadi
{

/// The part of a path's time that no bandwidth shortens: the links' latencies and, for each switch
/// between two of them, `switchLatency`.
SimTime
PathLatency(const Topology& topology, const std::vector<LinkId>& path, SimTime switchLatency);

/// The time of one message alone on `path`, from Send to the arrival of its last byte, in the
/// packet network (`ideal_fct_ns`): exact, in closed form. Every hop stores a frame before it
/// forwards it. Requires: the path is not empty.
SimTime IdealTransferTime(const Topology& topology,
                          const std::vector<LinkId>& path,
                          Bytes size,
                          const PacketOptions& options);

/// A path between two NPUs, as an example of a long one.
struct PathExample
{
    VertexId source;
    VertexId destination;
    uint32_t hops = 0;
    SimTime latency;
};

/// The longest paths of a topology; of equally long ones the lowest (destination, source).
struct LongestPaths
{
    PathExample byHops;
    PathExample byLatency;
    bool isSampled = false; ///< not all destinations were looked at
};

/// Looks at the paths from every NPU to at most `maxDestinations` of them, evenly spread.
/// Nothing where there is a single NPU. Requires: maxDestinations > 0; `routing` is that of
/// `topology`.
std::optional<LongestPaths> FindLongestPaths(const Topology& topology,
                                             const Routing& routing,
                                             SimTime switchLatency,
                                             uint32_t maxDestinations);

} // namespace nadi
