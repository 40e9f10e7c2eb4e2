// SPDX-License-Identifier: GPL-2.0-only
#include "system/remote-memory/slice-places.h"

#include "common/check.h"

#include <algorithm>
#include <queue>

namespace nadi
{

namespace
{

/// By vertex, the links between it and `vertex`. Memories pass nothing on, and have one link.
std::vector<uint32_t>
MeasureFrom(const Topology& topology, VertexId vertex)
{
    constexpr uint32_t unknown = UINT32_MAX;
    std::vector<uint32_t> links(topology.VertexCount(), unknown);
    links[vertex.value] = 0;
    for (std::queue<VertexId> next({vertex}); !next.empty(); next.pop())
    {
        for (const LinkId id : topology.LinksFrom(next.front()))
        {
            const VertexId to = topology.Link(id).to;
            if (links[to.value] == unknown)
            {
                links[to.value] = links[next.front().value] + 1;
                next.push(to);
            }
        }
    }
    return links;
}

} // namespace

VertexId
FindNearestMemory(const Topology& topology, VertexId vertex)
{
    const std::vector<uint32_t> links = MeasureFrom(topology, vertex);
    // Memories are the last vertices. Of several that are equally near, min_element takes the
    // first.
    const auto first = links.begin() + topology.FirstMemory().value;
    NADI_CHECK(first != links.end());
    return VertexId{static_cast<uint32_t>(std::min_element(first, links.end()) - links.begin())};
}

SlicePlaces::SlicePlaces(const Topology& topology, MemoryOptions::Place place)
    : m_topology(topology)
    , m_place(place)
    , m_nearest(topology.NpuCount())
{
    NADI_CHECK(topology.MemoryCount() > 0);
}

VertexId
SlicePlaces::MemoryOf(RankId rank, uint32_t slice) const
{
    switch (m_place)
    {
    case MemoryOptions::Place::Own:
        // By the NPU, as memories are attached to NPUs in the order of their numbers.
        return MemoryNumber(m_topology.Placement().PlaceOf(rank));
    case MemoryOptions::Place::Nearest:
        return NearestTo(rank);
    case MemoryOptions::Place::Interleaved:
        // Ranks begin at different memories, so that they do not all queue at the first one.
        return MemoryNumber(uint64_t{rank.value} + slice);
    }
    NADI_CHECK(false);
}

bool
SlicePlaces::IsOneMemory() const
{
    return m_place != MemoryOptions::Place::Interleaved || m_topology.MemoryCount() == 1;
}

VertexId
SlicePlaces::NearestTo(RankId rank) const
{
    // A search looks at all links, so it is made once for each rank that accesses memory.
    std::optional<VertexId>& nearest = m_nearest[rank.value];
    if (!nearest)
    {
        nearest = FindNearestMemory(m_topology, VertexOf(rank));
    }
    return *nearest;
}

VertexId
SlicePlaces::MemoryNumber(uint64_t number) const
{
    return VertexId{m_topology.FirstMemory().value +
                    static_cast<uint32_t>(number % m_topology.MemoryCount())};
}

} // namespace nadi
