// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/routing.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// Routing on any topology: the paths that use the fewest other NPUs as transit and, of those, the
/// fewest links. So where switches join two NPUs, no third NPU carries their traffic; where only
/// NPUs do (a torus given as a list of links), it is the plain shortest path.
///
/// All links that keep to such a path are offered, parallel ones included: the set that ECMP picks
/// from. Distances to a destination are worked out when it is first asked for, and kept.
class ShortestPathRouting : public Routing
{
  public:
    /// Requires: the topology is connected; it outlives the routing.
    explicit ShortestPathRouting(const Topology& topology);

    const std::vector<LinkId>& FindNextLinks(VertexId at, VertexId destination) const override;

  private:
    /// Of a path: transit NPUs * (vertices + 1) + links, so that transit counts first.
    using Cost = uint64_t;

    Cost CostToEnter(VertexId vertex, VertexId destination) const;
    std::vector<Cost> ComputeCosts(VertexId destination) const;

    mutable std::vector<std::vector<Cost>> m_costs; // by destination, then vertex; empty: not yet
    mutable std::vector<LinkId> m_next;             // the last answer
};

} // namespace nadi
