// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/topology.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace nadi
{

/// The most that can flow through a topology at once, by whatever ways (Edmonds and Karp, 1972).
class MaximumFlow
{
  public:
    explicit MaximumFlow(const Topology& topology)
        : m_topology(topology)
    {
        for (LinkId id{0}; id.value < topology.LinkCount(); ++id.value)
        {
            m_room.push_back(topology.Link(id).bandwidth.BitsPerSecond());
        }
    }

    /// From the NPUs below `split` to the others.
    Bandwidth Compute(uint32_t split)
    {
        int64_t total = 0;
        while (const auto path = FindPath(split))
        {
            int64_t least = m_room[path->front().value];
            for (const LinkId id : *path)
            {
                least = std::min(least, m_room[id.value]);
            }
            for (const LinkId id : *path)
            {
                m_room[id.value] -= least;
                m_room[m_topology.Link(id).reverse.value] += least;
            }
            total += least;
        }
        return Bandwidth::FromBitsPerSecond(total);
    }

  private:
    /// The shortest way with room, from the first NPUs to any of the others.
    std::optional<std::vector<LinkId>> FindPath(uint32_t split) const
    {
        std::vector<std::optional<LinkId>> last(m_topology.VertexCount());
        std::deque<VertexId> waiting;
        for (VertexId source{0}; source.value < split; ++source.value)
        {
            waiting.push_back(source);
        }
        for (; !waiting.empty(); waiting.pop_front())
        {
            for (const LinkId id : m_topology.LinksFrom(waiting.front()))
            {
                const VertexId to = m_topology.Link(id).to;
                if (to.value < split || m_room[id.value] == 0 || last[to.value])
                {
                    continue;
                }
                last[to.value] = id;
                if (to.value < m_topology.NpuCount())
                {
                    return Backtrack(last, to);
                }
                waiting.push_back(to);
            }
        }
        return std::nullopt;
    }

    std::vector<LinkId> Backtrack(const std::vector<std::optional<LinkId>>& last, VertexId at) const
    {
        std::vector<LinkId> path;
        while (last[at.value])
        {
            path.push_back(*last[at.value]);
            at = m_topology.Link(path.back()).from;
        }
        return path;
    }

    const Topology& m_topology;
    std::vector<int64_t> m_room; // by link
};

/// The bandwidth from the first half of the NPUs to the second.
inline Bandwidth
BisectionBandwidth(const Topology& topology)
{
    return MaximumFlow(topology).Compute(topology.NpuCount() / 2);
}

} // namespace nadi
