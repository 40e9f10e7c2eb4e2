// SPDX-License-Identifier: GPL-2.0-only
#include "system/synthesis/picked-ways.h"

#include <cstdint>

namespace nadi
{

namespace
{

/// The vertices where messages to one rank may be.
class WaySearch
{
  public:
    WaySearch(const Topology& topology, const Routing& routing)
        : m_topology(topology)
        , m_routing(routing)
        , m_isKnown(topology.VertexCount(), false)
    {
    }

    /// Follows the ways of all ranks to `to`, until one of them has a choice of links.
    bool FindChoice(const std::vector<RankId>& ranks, VertexId to)
    {
        m_isKnown.assign(m_isKnown.size(), false);
        m_isKnown[to.value] = true;
        for (const RankId rank : ranks)
        {
            VertexId at = VertexOf(rank);
            while (!m_isKnown[at.value])
            {
                m_isKnown[at.value] = true;
                const std::vector<LinkId>& links = m_routing.FindNextLinks(at, to);
                if (links.size() > 1)
                {
                    return true;
                }
                at = m_topology.Link(links.front()).to;
            }
        }
        return false;
    }

  private:
    const Topology& m_topology;
    const Routing& m_routing;
    std::vector<bool> m_isKnown; // by vertex: whether its ways are followed already
};

} // namespace

std::optional<synthesis::PickedWays>
FindPickedWays(const PacketOptions& packet, std::optional<CommunicatorId> communicator)
{
    if (packet.loadBalancing.name != ECMP || !communicator)
    {
        return std::nullopt;
    }
    return synthesis::PickedWays{.seed = packet.seed, .communicator = *communicator};
}

bool
HaveEqualWays(const Topology& topology, const Routing& routing, const std::vector<RankId>& ranks)
{
    WaySearch search(topology, routing);
    for (const RankId rank : ranks)
    {
        if (search.FindChoice(ranks, VertexOf(rank)))
        {
            return true;
        }
    }
    return false;
}

ProgramWish
DropIdleCommunicator(const ProgramSurroundings& surroundings, ProgramWish wish)
{
    if (!FindPickedWays(surroundings.packet, wish.communicator) ||
        !HaveEqualWays(surroundings.topology, surroundings.routing, wish.ranks))
    {
        wish.communicator.reset();
    }
    return wish;
}

} // namespace nadi
