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

/// A way through all vertices of a fully joined group of `size`, closed by its last vertex: from
/// `first` in a zigzag over the other ones, which are numbers modulo size - 1 (the construction of
/// Walecki). The ways of all rotations use each pair equally often.
std::vector<uint32_t>
ZigzagThrough(uint32_t size, uint32_t first)
{
    const uint32_t others = size - 1;
    std::vector<uint32_t> way{first};
    for (uint32_t step = 1; way.size() < others; ++step)
    {
        way.push_back((first + step) % others);
        if (way.size() < others)
        {
            way.push_back((first + others - step % others) % others);
        }
    }
    way.push_back(others);
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
std::vector<RingWay>
RingsOfCubeMesh(const std::vector<uint32_t>& members)
{
    constexpr std::array<uint32_t, CUBE_NPUS> doubled{0, 3, 2, 1, 5, 6, 7, 4};
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
    AddBothWays(through(doubled), 2, rings);
    AddBothWays(through(single), 1, rings);
    return rings;
}

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
        for (const uint32_t vertex : ZigzagThrough(size, rotation))
        {
            way.push_back(members[vertex]);
        }
        AddBothWays(std::move(way), 1, rings);
    }
    return rings;
}

/// Through a node from place `entry`, up or down.
void
PassNode(const std::vector<uint32_t>& members,
         uint32_t entry,
         bool isUp,
         std::vector<uint32_t>& way)
{
    const auto size = static_cast<uint32_t>(members.size());
    for (uint32_t step = 0; step < size; ++step)
    {
        way.push_back(members[(entry + (isUp ? step : size - step)) % size]);
    }
}

RingWay
RingThroughNodes(const Placement& placement, uint32_t entry)
{
    std::vector<uint32_t> way;
    for (uint32_t node = 0; node < placement.NodeCount(); ++node)
    {
        const std::vector<uint32_t>& members = placement.MembersOf(node);
        const auto size = static_cast<uint32_t>(members.size());
        const bool isUp = node % 2 == 0;
        PassNode(members, isUp ? entry : (entry + size - 1) % size, isUp, way);
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

std::vector<RingWay>
LayRings(const Placement& placement, const NodeLinks& links)
{
    const std::vector<uint32_t>& first = placement.MembersOf(0);
    constexpr uint32_t fewestForSeveral = 3;
    const bool isAlone = placement.NodeCount() == 1 && first.size() >= fewestForSeveral;
    if (isAlone && links.wiring == NodeWiring::HybridCubeMesh && first.size() == CUBE_NPUS)
    {
        return RingsOfCubeMesh(first);
    }
    if (isAlone && links.wiring != NodeWiring::Switch)
    {
        return RingsOfJoinedPairs(first);
    }
    const bool isSpread = placement.NodeCount() > 1 && placement.IsRegular();
    const uint32_t rings = isSpread ? links.nics : 1;
    std::vector<RingWay> ways;
    for (uint32_t ring = 0; ring < rings; ++ring)
    {
        const auto entry = static_cast<uint32_t>(first.size() * ring / rings);
        ways.push_back(RingThroughNodes(placement, entry));
    }
    return ways;
}

} // namespace nadi::nccl
