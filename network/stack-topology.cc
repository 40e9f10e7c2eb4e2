// SPDX-License-Identifier: GPL-2.0-only
#include "network/stack-topology.h"

#include "common/error.h"
#include "network/shape.h"
#include "network/topology-limits.h"

#include <string>

namespace nadi
{

namespace
{

constexpr const char* PLACE = "network.dimensions";

std::string
PlaceOf(size_t dimension, const char* key)
{
    return std::string(PLACE) + '[' + std::to_string(dimension) + "]." + key;
}

void
CheckDimensions(const std::vector<Dimension>& dimensions)
{
    if (dimensions.empty())
    {
        throw ConfigError(PLACE, "there is none; a stack needs at least one dimension");
    }
    for (size_t d = 0; d < dimensions.size(); ++d)
    {
        if (dimensions[d].size == 0)
        {
            throw ConfigError(PlaceOf(d, "size"), "is 0; a dimension has at least one NPU");
        }
        if (dimensions[d].bandwidth <= Bandwidth{})
        {
            throw ConfigError(PlaceOf(d, "bandwidth"), "is 0; write one, such as 62 GB/s");
        }
    }
}

/// The NPUs whose coordinate along `dimension` is free, the lowest being `first`.
std::vector<VertexId>
MembersOfLine(const RankGrid& grid, uint32_t dimension, uint32_t first)
{
    std::vector<VertexId> members;
    for (uint32_t coordinate = 0; coordinate < grid.Size(dimension); ++coordinate)
    {
        members.push_back(VertexId{grid.WithCoordinate(first, dimension, coordinate)});
    }
    return members;
}

void
AddDimension(const RankGrid& grid, uint32_t index, const Dimension& dimension, Topology& topology)
{
    const auto shape = MakeShape(dimension.shape, PlaceOf(index, "shape"));
    const uint64_t lineCount = grid.RankCount() / dimension.size;
    // Checked before any link of the dimension is added, since too many would first fill the
    // memory.
    const uint64_t linkCount = topology.LinkCount() + lineCount * shape->LinkCount(dimension.size);
    if (linkCount > MOST_LINKS)
    {
        throw ConfigError(PlaceOf(index, "size"),
                          "makes more than " + std::to_string(MOST_LINKS) +
                              " links, each direction counted; use a smaller one or another shape");
    }
    ShapeLine line;
    line.dimension = index;
    line.rate = {dimension.bandwidth, dimension.latency};
    const std::string prefix = "dim" + std::to_string(index) + ".switch";
    uint32_t lineIndex = 0;
    for (uint32_t rank = 0; rank < grid.RankCount(); ++rank)
    {
        // Each line has exactly one member whose coordinate is 0, so each is added once, in the
        // order of those members.
        if (grid.Coordinate(rank, index) == 0)
        {
            line.members = MembersOfLine(grid, index, rank);
            line.switchName = prefix + std::to_string(lineIndex++);
            shape->AddLine(line, topology);
        }
    }
}

} // namespace

std::vector<uint32_t>
SizesOf(const std::vector<Dimension>& dimensions)
{
    std::vector<uint32_t> sizes;
    for (const Dimension& dimension : dimensions)
    {
        sizes.push_back(dimension.size);
    }
    return sizes;
}

Topology
MakeStackTopology(const std::vector<Dimension>& dimensions)
{
    CheckDimensions(dimensions);
    const RankGrid grid(SizesOf(dimensions));
    Topology topology;
    for (uint32_t rank = 0; rank < grid.RankCount(); ++rank)
    {
        topology.AddVertex(VertexKind::Npu, "npu" + std::to_string(rank));
    }
    for (uint32_t index = 0; index < grid.DimensionCount(); ++index)
    {
        AddDimension(grid, index, dimensions[index], topology);
    }
    topology.SetDimensions(dimensions);
    topology.Validate(PLACE);
    return topology;
}

} // namespace nadi
