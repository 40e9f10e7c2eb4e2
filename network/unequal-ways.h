// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "network/routing.h"
#include "network/topology.h"

#include <cstdint>
#include <optional>

namespace nadi
{

/// The links of unequal rates by which equally good ways begin.
struct UnequalWays
{
    Bandwidth slow;
    Bandwidth fast;

    bool operator==(const UnequalWays&) const = default;
};

/// Of a message from `source` to `destination`; none where its ways are equal.
std::optional<UnequalWays> FindUnequalWays(const Topology& topology,
                                           const Routing& routing,
                                           VertexId source,
                                           VertexId destination);

/// Of some message between two of the first `npus` NPUs that both have links to the same two
/// switches, or several to one; none where all such ways are equal.
///
/// Looks at each NPU and not at every two, and follows few routes: in networks so large that this
/// would take long, unequal ways may stay unfound. `routing` is that of the topology.
std::optional<UnequalWays>
FindUnequalWaysOverSwitches(const Topology& topology, const Routing& routing, uint32_t npus);

} // namespace nadi
