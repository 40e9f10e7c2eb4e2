// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/rail-routes.h"

#include <algorithm>

namespace nadi::nccl
{

namespace
{

/// Of RelayTo: no member of the node stands on that rail.
constexpr uint32_t NO_RELAY = UINT32_MAX;

} // namespace

RailRoutes::RailRoutes(const Placement& placement, uint32_t npusPerNic)
    : m_indexOnRail(placement.Size())
    , m_sources(placement.Size())
    , m_targets(placement.Size())
{
    for (uint32_t member = 0; member < placement.Size(); ++member)
    {
        m_nodeOf.push_back(placement.NodeOf(member));
        m_railOf.push_back(placement.NpuInNode(member) / npusPerNic);
        m_rails = std::max(m_rails, m_railOf.back() + 1);
    }
    m_onRail.resize(size_t{m_rails} * placement.NodeCount());
    for (uint32_t node = 0; node < placement.NodeCount(); ++node)
    {
        for (const uint32_t member : placement.MembersOf(node))
        {
            std::vector<uint32_t>& rail = m_onRail[node * m_rails + m_railOf[member]];
            m_indexOnRail[member] = static_cast<uint32_t>(rail.size());
            rail.push_back(member);
        }
    }
    ListSources(placement);
    ListTargets(placement);
}

uint32_t
RailRoutes::NextHop(uint32_t from, uint32_t to) const
{
    const bool isDirect = m_nodeOf[from] == m_nodeOf[to] || m_railOf[from] == m_railOf[to];
    const uint32_t relay = isDirect ? NO_RELAY : RelayTo(m_nodeOf[from], to);
    return relay == NO_RELAY ? to : relay;
}

uint64_t
RailRoutes::AllPassedOn() const
{
    uint64_t parts = 0;
    for (uint32_t member = 0; member < m_sources.size(); ++member)
    {
        parts += PassedOn(member);
    }
    return parts;
}

/// The member of a node that passes on what is for `to`.
uint32_t
RailRoutes::RelayTo(uint32_t node, uint32_t to) const
{
    const std::vector<uint32_t>& relays = OnRail(node, m_railOf[to]);
    return relays.empty() ? NO_RELAY : relays[m_indexOnRail[to] % relays.size()];
}

/// The members of the own node on other rails, from the next place on.
void
RailRoutes::ListSources(const Placement& placement)
{
    for (uint32_t member = 0; member < placement.Size(); ++member)
    {
        const std::vector<uint32_t>& local = placement.MembersOf(m_nodeOf[member]);
        for (uint32_t places = 1; places < local.size(); ++places)
        {
            const uint32_t place = placement.IndexInNode(member) + places;
            const uint32_t source = local[place % local.size()];
            if (m_railOf[source] != m_railOf[member])
            {
                m_sources[member].push_back(source);
            }
        }
    }
}

/// Of each node the members of the other nodes, from the next node on, at their relays.
void
RailRoutes::ListTargets(const Placement& placement)
{
    const uint32_t nodes = placement.NodeCount();
    for (uint32_t node = 0; node < nodes; ++node)
    {
        for (uint32_t further = 1; further < nodes; ++further)
        {
            for (const uint32_t target : placement.MembersOf((node + further) % nodes))
            {
                const uint32_t relay = RelayTo(node, target);
                if (relay != NO_RELAY)
                {
                    m_targets[relay].push_back(target);
                }
            }
        }
    }
}

} // namespace nadi::nccl
