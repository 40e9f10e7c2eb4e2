// SPDX-License-Identifier: GPL-2.0-only
#include "system/synthesis/way-targets.h"

#include "system/synthesis/route-model.h"

#include <algorithm>
#include <utility>

namespace nadi::synthesis
{

WayTargets::WayTargets(const Topology& topology, const std::vector<RankId>& ranks)
    : m_topology(topology)
    , m_ranks(ranks)
    , m_indices(topology.VertexCount(), NONE)
    , m_depths(topology.VertexCount(), NONE)
{
    for (uint32_t index = 0; index < ranks.size(); ++index)
    {
        m_indices[VertexOf(ranks[index]).value] = index;
    }
}

/// The members that some path reaches without crossing others, in ascending order.
std::vector<uint32_t>
WayTargets::Find(uint32_t from)
{
    std::vector<VertexId> queue{VertexOf(m_ranks[from])};
    m_depths[queue[0].value] = 0;
    std::vector<uint32_t> reached;
    for (size_t next = 0; next < queue.size(); ++next)
    {
        const VertexId at = queue[next];
        // The search does not go on from another member.
        if (next > 0 && m_indices[at.value] != NONE)
        {
            reached.push_back(m_indices[at.value]);
            continue;
        }
        for (const LinkId id : m_topology.LinksFrom(at))
        {
            const VertexId to = m_topology.Link(id).to;
            // Memories pass nothing on, so no way leads over them.
            if (m_depths[to.value] == NONE && !m_topology.IsMemory(to))
            {
                m_depths[to.value] = m_depths[at.value] + 1;
                queue.push_back(to);
            }
        }
    }
    std::vector<uint32_t> targets = Choose(from, reached);
    for (const VertexId vertex : queue)
    {
        m_depths[vertex.value] = NONE;
    }
    return targets;
}

/// Of too many: the nearest, and those that are a power of two away.
std::vector<uint32_t>
WayTargets::Choose(uint32_t from, const std::vector<uint32_t>& reached) const
{
    const auto count = static_cast<uint32_t>(m_ranks.size());
    const auto stepsTo = [&](uint32_t to) { return (to + count - from) % count; };
    const auto depthOf = [&](uint32_t to) { return m_depths[VertexOf(m_ranks[to]).value]; };
    std::vector<uint32_t> targets = reached;
    std::sort(targets.begin(),
              targets.end(),
              [&](uint32_t one, uint32_t other) {
                  return std::pair(depthOf(one), stepsTo(one)) <
                         std::pair(depthOf(other), stepsTo(other));
              });
    // By steps of powers of two each rank reaches any other over few ways, however many ranks there
    // are.
    if (targets.size() > RouteModel::MOST_WAYS)
    {
        const auto rest = targets.begin() + RouteModel::MOST_WAYS;
        targets.erase(std::remove_if(rest,
                                     targets.end(),
                                     [&](uint32_t to)
                                     { return (stepsTo(to) & (stepsTo(to) - 1)) != 0; }),
                      targets.end());
    }
    std::sort(targets.begin(), targets.end());
    return targets;
}

} // namespace nadi::synthesis
