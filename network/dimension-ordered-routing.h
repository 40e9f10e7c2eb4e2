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
/// It routes between NPUs and switches; AttachedRouting adds memories.
///
/// To a switch a message goes along the other dimensions first, to an NPU of the switch's line, and
/// then up. Exactly one link is offered at each vertex, found by arithmetic: there is no table
/// whose size grows with the ranks.
class DimensionOrderedRouting : public Routing
{
  public:
    /// Requires: the topology was made by MakeStackTopology, and may have memories besides; it
    /// outlives the routing.
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

    /// One of the lines of NPUs along a dimension.
    struct Line
    {
        uint32_t dimension = 0;
        uint32_t number = 0;
    };

    LinkId FindNext(VertexId at, VertexId destination) const;
    LinkId LinkOn(const Line& line, uint32_t from, uint32_t to) const;
    // Of these, NPUs are numbered by their places in the stack.
    LinkId NextFromNpu(uint32_t npu, uint32_t destination) const;
    LinkId NextToSwitch(uint32_t npu, const Line& line) const;
    LinkId NextFromSwitch(const Line& line, uint32_t destination) const;
    uint32_t FirstNpuOf(const Line& line) const;
    Line LineOf(VertexId switchVertex) const;

    RankGrid m_grid;
    std::vector<Layout> m_layouts;      // by dimension
    mutable std::vector<LinkId> m_next; // the last answer
};

} // namespace nadi
