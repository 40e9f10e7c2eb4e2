// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "network/routing.h"
#include "network/topology.h"

#include <cstdint>
#include <optional>

namespace nadi
{

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

/// Looks at the paths from every NPU to at most `maxDestinations` of them, evenly spread; where
/// several ways are equally good, at the longest of them. Looks at each link once for each
/// destination. Nothing where there is a single NPU. Requires: maxDestinations > 0; `routing` is
/// that of `topology`.
std::optional<LongestPaths> FindLongestPaths(const Topology& topology,
                                             const Routing& routing,
                                             SimTime switchLatency,
                                             uint32_t maxDestinations);

} // namespace nadi
