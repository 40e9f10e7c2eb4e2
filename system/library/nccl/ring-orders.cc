// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/ring-orders.h"

#include <algorithm>
#include <array>
#include <utility>

namespace nadi::nccl
{

namespace
{

constexpr uint32_t CUBE_NPUS = 8;

/// From `first` in a zigzag over all numbers modulo `count` (the construction of Walecki): the ways
/// from all first ones use each pair equally often, and for an even count once in each direction.
std::vector<uint32_t>
ZigzagOver(uint32_t count, uint32_t first)
{
    std::vector<uint32_t> way{first};
    for (uint32_t step = 1; way.size() < count; ++step)
    {
        way.push_back((first + step) % count);
        if (way.size() < count)
        {
            way.push_back((first + count - step % count) % count);
        }
    }
    return way;
}

/// Adds a ring both ways round, `times` each.
void
AddBothWays(std::vector<uint32_t> way, uint32_t times, std::vector<RingWay>& rings)
{
    for (uint32_t direction = 0; direction < 2; ++direction)
    {
        rings.insert(rings.end(), times, RingWay(way));
        std::reverse(way.begin(), way.end());
    }
}

/// The doubled links of the machine form one ring through all NPUs, the others form another.
constexpr std::array<uint32_t, CUBE_NPUS> DOUBLED_RING{0, 3, 2, 1, 5, 6, 7, 4};

std::vector<RingWay>
RingsOfCubeMesh(const std::vector<uint32_t>& members)
{
    constexpr std::array<uint32_t, CUBE_NPUS> single{0, 1, 3, 7, 5, 4, 6, 2};
    const auto through = [&](const std::array<uint32_t, CUBE_NPUS>& places)
    {
        std::vector<uint32_t> way;
        for (const uint32_t place : places)
        {
            way.push_back(members[place]);
        }
        return way;
    };
    std::vector<RingWay> rings;
    AddBothWays(through(DOUBLED_RING), 2, rings);
    AddBothWays(through(single), 1, rings);
    return rings;
}

/// Rings that suit members of which every two share a link. The last member stays apart, and each
/// zigzag over the others becomes a ring through it. Together they use every link equally often: of
/// an odd number of members once in each direction, of an even number twice.
std::vector<RingWay>
RingsOfJoinedPairs(const std::vector<uint32_t>& members)
{
    const auto size = static_cast<uint32_t>(members.size());
    // With an even number of others, the rotations of the second half go the same ways backwards.
    const uint32_t rotations = size % 2 == 0 ? size - 1 : (size - 1) / 2;
    std::vector<RingWay> rings;
    for (uint32_t rotation = 0; rotation < rotations; ++rotation)
    {
        std::vector<uint32_t> way;
        for (const uint32_t vertex : ZigzagOver(size - 1, rotation))
        {
            way.push_back(members[vertex]);
        }
        way.push_back(members.back()); // closes each zigzag over the others
        AddBothWays(std::move(way), 1, rings);
    }
    return rings;
}

/// From the member at `entry` on.
std::vector<uint32_t>
PathAlongDoubledLinks(const std::vector<uint32_t>& members, uint32_t entry)
{
    const auto* const begin = std::find(DOUBLED_RING.begin(), DOUBLED_RING.end(), entry);
    std::vector<uint32_t> path;
    for (uint32_t step = 0; step < CUBE_NPUS; ++step)
    {
        const auto at = static_cast<uint32_t>(begin - DOUBLED_RING.begin()) + step;
        path.push_back(members[DOUBLED_RING[at % CUBE_NPUS]]);
    }
    return path;
}

/// The one that enters nodes at their NIC with that number.
RingWay
RingThroughNodes(const Placement& placement, const NodeLinks& links, uint32_t nic)
{
    std::vector<uint32_t> way;
    for (uint32_t node = 0; node < placement.NodeCount(); ++node)
    {
        const uint32_t entry = placement.FirstOfNics(node, links.npusPerNic)[nic];
        std::vector<uint32_t> path =
            PathThroughNode(placement.MembersOf(node), links.wiring, entry);
        // Every second node is crossed backwards. So a ring leaves a node at the place at which it
        // enters the next one of the list, and members of equal places share a rail.
        if (node % 2 != 0)
        {
            std::reverse(path.begin(), path.end());
        }
        way.insert(way.end(), path.begin(), path.end());
    }
    return RingWay(std::move(way));
}

} // namespace

RingWay::RingWay(std::vector<uint32_t> memberAt)
    : m_memberAt(std::move(memberAt))
    , m_placeOf(m_memberAt.size())
{
    for (uint32_t place = 0; place < Size(); ++place)
    {
        m_placeOf[m_memberAt[place]] = place;
    }
}

std::vector<uint32_t>
PathThroughNode(const std::vector<uint32_t>& members, NodeWiring wiring, uint32_t entry)
{
    const auto size = static_cast<uint32_t>(members.size());
    if (wiring == NodeWiring::HybridCubeMesh && size == CUBE_NPUS)
    {
        return PathAlongDoubledLinks(members, entry);
    }
    const std::vector<uint32_t> zigzag = ZigzagOver(size, entry % size);
    std::vector<uint32_t> path;
    for (uint32_t step = 0; step < size; ++step)
    {
        const bool isSwitched = wiring == NodeWiring::Switch;
        path.push_back(members[isSwitched ? (entry + step) % size : zigzag[step]]);
    }
    return path;
}

std::vector<RingWay>
LayRings(const Placement& placement, const NodeLinks& links)
{
    const std::vector<uint32_t>& first = placement.MembersOf(0);
    constexpr uint32_t fewestForSeveral = 3;
    // Two members have only one ring, whatever joins them.
    const bool isAlone = placement.NodeCount() == 1 && first.size() >= fewestForSeveral;
    if (isAlone && links.wiring == NodeWiring::HybridCubeMesh && first.size() == CUBE_NPUS)
    {
        return RingsOfCubeMesh(first);
    }
    if (isAlone && links.wiring != NodeWiring::Switch)
    {
        return RingsOfJoinedPairs(first);
    }
    const uint32_t rings = placement.NodeCount() > 1 ? placement.CountNics(links.npusPerNic) : 1;
    std::vector<RingWay> ways;
    for (uint32_t ring = 0; ring < rings; ++ring)
    {
        ways.push_back(RingThroughNodes(placement, links, ring));
    }
    return ways;
}

} // namespace nadi::nccl
