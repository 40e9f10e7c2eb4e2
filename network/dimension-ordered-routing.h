// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/dimension.h"
#include "network/routing.h"
#include "network/shape.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace nadi
{

/// Routing on a stack of dimensions: a message crosses dimension 0 first, then 1, and so on; along
/// each it goes the shape's shortest way. NPUs where it turns, or that lie on the way, forward it.
///
/// Exactly one link is offered at each vertex, found by arithmetic: there is no table whose size
/// grows with the ranks.
class DimensionOrderedRouting : public Routing
{
  public:
    /// Requires: the topology was made by MakeStackTopology; it outlives the routing.
    explicit DimensionOrderedRouting(const Topology& topology);

    const std::vector<LinkId>& FindNextLinks(VertexId at, VertexId destination) const override;

  private:
    /// What the ids of one dimension's links and switches follow from.
    struct Layout
    {
        std::unique_ptr<Shape> shape;
        uint64_t linksPerLine;
        uint64_t firstLink;
        uint32_t firstSwitch;
        uint32_t switchCount;
    };

    // Of these, NPUs are numbered by their places in the stack.
    LinkId NextFromNpu(uint32_t npu, uint32_t destination) const;
    LinkId NextFromSwitch(uint32_t vertex, uint32_t destination) const;

    RankGrid m_grid;
    std::vector<Layout> m_layouts;      // by dimension
    mutable std::vector<LinkId> m_next; // the last answer
};

} // namespace nadi
