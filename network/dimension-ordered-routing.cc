// SPDX-License-Identifier: GPL-2.0-only
#include "network/dimension-ordered-routing.h"

#include "common/check.h"
#include "network/stack-topology.h"

#include <utility>

namespace nadi
{

DimensionOrderedRouting::DimensionOrderedRouting(const Topology& topology)
    : Routing(topology)
    , m_grid(SizesOf(topology.Dimensions()))
    , m_next(1)
{
    NADI_CHECK(!topology.Dimensions().empty() && m_grid.RankCount() == topology.NpuCount());
    // Counts links and switches in the order in which MakeStackTopology adds them: dimension by
    // dimension, line by line. Links are found by this arithmetic alone; the checks below compare
    // the totals.
    uint64_t firstLink = 0;
    uint32_t firstSwitch = topology.NpuCount();
    for (const Dimension& dimension : topology.Dimensions())
    {
        Layout layout{
            MakeShape(dimension.shape, "network.dimensions"), 0, firstLink, firstSwitch, 0};
        const uint32_t lineCount = m_grid.RankCount() / dimension.size;
        layout.linksPerLine = layout.shape->LinkCount(dimension.size);
        layout.switchCount = layout.shape->HasSwitch(dimension.size) ? lineCount : 0;
        firstLink += lineCount * layout.linksPerLine;
        firstSwitch += layout.switchCount;
        m_layouts.push_back(std::move(layout));
    }
    NADI_CHECK(firstLink + 2 * uint64_t{topology.MemoryCount()} == topology.LinkCount());
    NADI_CHECK(firstSwitch == topology.FirstMemory().value);
}

const std::vector<LinkId>&
DimensionOrderedRouting::FindNextLinks(VertexId at, VertexId destination) const
{
    NADI_CHECK(at != destination && destination.value < m_topology.FirstMemory().value);
    m_next.front() = FindNext(at, destination);
    return m_next;
}

LinkId
DimensionOrderedRouting::FindNext(VertexId at, VertexId destination) const
{
    const RankPlacement& placement = m_topology.Placement();
    const bool isAtNpu = at.value < m_grid.RankCount();
    if (destination.value < m_grid.RankCount())
    {
        const uint32_t to = placement.PlaceOf(destination.value);
        return isAtNpu ? NextFromNpu(placement.PlaceOf(at.value), to)
                       : NextFromSwitch(LineOf(at), to);
    }
    const Line line = LineOf(destination);
    return isAtNpu ? NextToSwitch(placement.PlaceOf(at.value), line)
                   : NextFromSwitch(LineOf(at), FirstNpuOf(line));
}

/// The first coordinate that differs says the dimension. Lines are counted by their lowest NPU:
/// npu = (high * size + coordinate) * stride + low lies on line high * stride + low. Example with
/// sizes [4, 3]: in dimension 1 (stride 4), NPU 7 = (0 * 3 + 1) * 4 + 3 lies on line 3, with the
/// members 3, 7 and 11.
LinkId
DimensionOrderedRouting::NextFromNpu(uint32_t npu, uint32_t destination) const
{
    uint32_t high = npu; // without the dimensions that were looked at
    uint32_t highTo = destination;
    for (uint32_t d = 0; d < m_layouts.size(); ++d)
    {
        const uint32_t size = m_grid.Size(d);
        const uint32_t from = high % size;
        const uint32_t to = highTo % size;
        high /= size;
        highTo /= size;
        if (from != to)
        {
            const uint32_t stride = m_grid.Stride(d);
            return LinkOn({d, high * stride + (stride == 1 ? 0 : npu % stride)}, from, to);
        }
    }
    NADI_CHECK(!"the NPUs differ in a coordinate");
    return {};
}

LinkId
DimensionOrderedRouting::LinkOn(const Line& line, uint32_t from, uint32_t to) const
{
    const Layout& layout = m_layouts[line.dimension];
    return LinkId{
        static_cast<uint32_t>(layout.firstLink + uint64_t{line.number} * layout.linksPerLine +
                              layout.shape->FindNextLink(m_grid.Size(line.dimension), from, to))};
}

/// Along all dimensions but the switch's own, then up.
LinkId
DimensionOrderedRouting::NextToSwitch(uint32_t npu, const Line& line) const
{
    const uint32_t own = m_grid.Coordinate(npu, line.dimension);
    // The member of the switch's line that has the NPU's own coordinate along that line. The way
    // there takes no step along the line, and each member is one link away from the switch.
    const uint32_t below = m_grid.WithCoordinate(FirstNpuOf(line), line.dimension, own);
    if (npu != below)
    {
        return NextFromNpu(npu, below);
    }
    // The way to any other member leads over the switch.
    return LinkOn(line, own, own == 0 ? 1 : 0);
}

LinkId
DimensionOrderedRouting::NextFromSwitch(const Line& line, uint32_t destination) const
{
    const uint32_t size = m_grid.Size(line.dimension);
    return LinkOn(line, size, m_grid.Coordinate(destination, line.dimension));
}

uint32_t
DimensionOrderedRouting::FirstNpuOf(const Line& line) const
{
    const uint32_t stride = m_grid.Stride(line.dimension);
    return line.number / stride * stride * m_grid.Size(line.dimension) + line.number % stride;
}

DimensionOrderedRouting::Line
DimensionOrderedRouting::LineOf(VertexId switchVertex) const
{
    for (uint32_t d = 0; d < m_layouts.size(); ++d)
    {
        // Unsigned, so a vertex before this dimension's switches gives a large number and is not
        // taken for one of them.
        const uint32_t line = switchVertex.value - m_layouts[d].firstSwitch;
        if (line < m_layouts[d].switchCount)
        {
            return {d, line};
        }
    }
    NADI_CHECK(!"the vertex is a switch of the stack");
    return {};
}

} // namespace nadi
