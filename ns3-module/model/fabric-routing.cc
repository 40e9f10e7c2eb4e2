// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-routing.h"

#include "fabric-hash.h"

#include "ns3/fabric-node.h"
#include "ns3/fabric-port.h"

#include <deque>
#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricRouting);
NS_OBJECT_ENSURE_REGISTERED(FabricShortestPathRouting);

namespace
{

constexpr uint32_t UNREACHED = std::numeric_limits<uint32_t>::max();

uint32_t&
DistanceOf(std::vector<uint32_t>& distances, const FabricNode& node)
{
    if (distances.size() <= node.GetIndex())
    {
        distances.resize(node.GetIndex() + 1, UNREACHED);
    }
    return distances[node.GetIndex()];
}

} // namespace

TypeId
FabricRouting::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FabricRouting").SetParent<Object>().SetGroupName("Fabric");
    return tid;
}

uint32_t
FabricRouting::Pick(const FabricNode& at, const FabricFlowKey& key, uint32_t count) const
{
    // The node is part of the hash: if all switches took the same choice for a flow, those of a
    // second tier would see only flows that hash alike, and would use one of their ways only.
    uint64_t hash = FabricMix(at.GetIndex());
    hash = FabricMix(hash ^ ((uint64_t{key.source} << 32) | key.destination));
    hash = FabricMix(hash ^ key.stream);
    return static_cast<uint32_t>(hash % count);
}

FabricPriority
FabricRouting::GetPriority(const FabricFlowKey&, const FabricHop&, const FabricPort&) const
{
    return FABRIC_DATA_PRIORITY;
}

bool
FabricRouting::MayForward(const FabricNode& node) const
{
    return node.GetNPorts() > 1;
}

uint32_t
FabricRouting::GetNPriorities() const
{
    return 1;
}

bool
FabricRouting::OffersChoice() const
{
    return true;
}

TypeId
FabricShortestPathRouting::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FabricShortestPathRouting")
                            .SetParent<FabricRouting>()
                            .SetGroupName("Fabric")
                            .AddConstructor<FabricShortestPathRouting>();
    return tid;
}

void
FabricShortestPathRouting::FindEgresses(const FabricNode& at,
                                        const FabricNode& destination,
                                        std::vector<FabricPort*>& egresses) const
{
    egresses.clear();
    const Distances& distances = GetDistances(destination);
    if (at.GetIndex() >= distances.size() || distances[at.GetIndex()] == UNREACHED)
    {
        return;
    }
    for (uint32_t i = 0; i < at.GetNPorts(); ++i)
    {
        FabricPort& port = at.GetPort(i);
        // The search has reached all neighbours of a node that it has reached, so `next` has a
        // distance.
        const uint32_t next = port.GetPeer().GetFabricNode().GetIndex();
        if (distances[next] + 1 == distances[at.GetIndex()])
        {
            egresses.push_back(&port);
        }
    }
}

/// The number of links to `destination`, by node. Computed once and kept, as all links are
/// connected before the first message.
const FabricShortestPathRouting::Distances&
FabricShortestPathRouting::GetDistances(const FabricNode& destination) const
{
    if (m_distances.size() <= destination.GetIndex())
    {
        m_distances.resize(destination.GetIndex() + 1);
    }
    Distances& distances = m_distances[destination.GetIndex()];
    if (!distances.empty())
    {
        return distances;
    }
    // A breadth-first search from the destination, once for each destination that is asked for.
    // Links go both ways, so the distance from the destination is the distance to it.
    DistanceOf(distances, destination) = 0;
    std::deque<const FabricNode*> frontier{&destination};
    while (!frontier.empty())
    {
        const FabricNode& node = *frontier.front();
        frontier.pop_front();
        const uint32_t next = distances[node.GetIndex()] + 1;
        for (uint32_t i = 0; i < node.GetNPorts(); ++i)
        {
            const FabricNode& neighbour = node.GetPort(i).GetPeer().GetFabricNode();
            if (DistanceOf(distances, neighbour) == UNREACHED)
            {
                distances[neighbour.GetIndex()] = next;
                frontier.push_back(&neighbour);
            }
        }
    }
    return distances;
}

} // namespace ns3
