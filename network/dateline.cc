// SPDX-License-Identifier: GPL-2.0-only
#include "network/dateline.h"

#include "network/shape.h"
#include "network/stack-topology.h"

#include <algorithm>
#include <iterator>

namespace nadi
{

namespace
{

constexpr uint32_t SMALLEST_CIRCLE = 5; ///< the smallest ring whose links can wait in a circle

bool
NeedsDateline(const Dimension& dimension)
{
    return dimension.size >= SMALLEST_CIRCLE &&
           MakeShape(dimension.shape, "network.dimensions")->HasCircle();
}

/// Whether a link of a ring joins the last coordinate and 0.
bool
ClosesRing(const RankGrid& grid, const RankPlacement& placement, const TopologyLink& link)
{
    const auto [low, high] =
        std::minmax({grid.Coordinate(placement.PlaceOf(link.from.value), link.dimension),
                     grid.Coordinate(placement.PlaceOf(link.to.value), link.dimension)});
    return low == 0 && high == grid.Size(link.dimension) - 1;
}

} // namespace

Dateline::Dateline(const Topology& topology)
    : m_topology(topology)
    , m_isDateline(topology.LinkCount(), false)
{
    const std::vector<Dimension>& dimensions = topology.Dimensions();
    std::vector<bool> isNeeded;
    std::transform(
        dimensions.begin(), dimensions.end(), std::back_inserter(isNeeded), NeedsDateline);
    if (std::find(isNeeded.begin(), isNeeded.end(), true) == isNeeded.end())
    {
        return;
    }
    m_priorityCount = 2;
    const RankGrid grid(SizesOf(dimensions));
    for (LinkId id{0}; id.value < topology.LinkCount(); ++id.value)
    {
        const TopologyLink& link = topology.Link(id);
        // Links of memories have the dimension 0, but are part of no ring.
        m_isDateline[id.value] = !topology.IsMemoryLink(id) && isNeeded[link.dimension] &&
                                 ClosesRing(grid, topology.Placement(), link);
    }
}

uint8_t
Dateline::Next(std::optional<Channel> previous, LinkId next) const
{
    // A frame that turns into another dimension enters that with priority 1 again: dimensions are
    // crossed in order, so no circle can lead through two of them.
    const bool isOnward =
        previous && m_topology.Link(previous->link).dimension == m_topology.Link(next).dimension;
    const bool hasCrossed =
        isOnward && (previous->priority == 2 || m_isDateline[previous->link.value]);
    return hasCrossed ? 2 : 1;
}

} // namespace nadi
