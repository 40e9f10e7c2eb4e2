// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/ring-orders.h"

#include "system/library/nccl/cube-mesh.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace nadi::nccl
{

namespace
{

bool
IsWholeCubeMesh(const std::vector<uint32_t>& members, NodeWiring wiring)
{
    return wiring == NodeWiring::HybridCubeMesh && members.size() == CUBE_NPUS;
}

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

std::vector<RingWay>
RingsOfCubeMesh(const std::vector<uint32_t>& members)
{
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
    AddBothWays(through(SINGLE_RING), 1, rings);
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

/// Rings that suit some members of a hybrid cube mesh.
std::vector<RingWay>
RingsOfPartOfCubeMesh(const Placement& placement)
{
    const std::vector<uint32_t>& members = placement.MembersOf(0);
    std::vector<uint32_t> npus;
    for (const uint32_t member : members)
    {
        npus.push_back(placement.NpuInNode(member));
    }
    std::vector<RingWay> rings;
    for (std::vector<uint32_t>& way : FindRingsOfCubeMesh(npus))
    {
        for (uint32_t& index : way)
        {
            index = members[index];
        }
        AddBothWays(std::move(way), 1, rings);
    }
    // Without a ring of links, some steps pass other NPUs in any ring.
    return rings.empty() ? RingsOfJoinedPairs(members) : rings;
}

/// How a ring passes a hybrid cube mesh along its doubled links.
struct CubeMeshPass
{
    uint32_t begin = 0; ///< a place of DOUBLED_RING
    bool isBackward = false;
};

std::vector<uint32_t>
PathAlongDoubledLinks(const std::vector<uint32_t>& members, const CubeMeshPass& pass)
{
    const uint32_t stride = pass.isBackward ? CUBE_NPUS - 1 : 1;
    std::vector<uint32_t> path;
    for (uint32_t step = 0; step < CUBE_NPUS; ++step)
    {
        path.push_back(members[DOUBLED_RING[(pass.begin + step * stride) % CUBE_NPUS]]);
    }
    return path;
}

/// Where an NPU stands in DOUBLED_RING.
uint32_t
PlaceInDoubledRing(uint32_t npu)
{
    const auto* const found = std::find(DOUBLED_RING.begin(), DOUBLED_RING.end(), npu);
    return static_cast<uint32_t>(found - DOUBLED_RING.begin());
}

/// The passes of rings, by the NIC at which they enter. A pass ends beside its begin. So two NICs
/// whose NPUs are neighbours in the doubled ring change places: the pass from one ends at the
/// other, and the two go opposite ways.
std::vector<CubeMeshPass>
PassesOfCubeMesh(uint32_t npusPerNic)
{
    std::vector<std::optional<CubeMeshPass>> found(CUBE_NPUS / npusPerNic);
    const auto nicAt = [&](uint32_t place) { return DOUBLED_RING[place % CUBE_NPUS] / npusPerNic; };
    for (uint32_t place = 0; place < CUBE_NPUS; ++place)
    {
        const uint32_t next = (place + 1) % CUBE_NPUS;
        const bool areFree = !found[nicAt(place)] && !found[nicAt(next)];
        if (areFree && nicAt(place) != nicAt(next))
        {
            found[nicAt(place)] = CubeMeshPass{.begin = place, .isBackward = true};
            found[nicAt(next)] = CubeMeshPass{.begin = next};
        }
    }
    std::vector<CubeMeshPass> passes;
    for (uint32_t nic = 0; nic < found.size(); ++nic)
    {
        // A NIC that all NPUs share has no neighbour.
        passes.push_back(
            found[nic].value_or(CubeMeshPass{.begin = PlaceInDoubledRing(nic * npusPerNic)}));
    }
    return passes;
}

/// Of the ring that enters nodes at their NIC with that number.
std::vector<uint32_t>
PathFromNic(const Placement& placement, const NodeLinks& links, uint32_t node, uint32_t nic)
{
    const std::vector<uint32_t>& members = placement.MembersOf(node);
    if (IsWholeCubeMesh(members, links.wiring))
    {
        return PathAlongDoubledLinks(members, PassesOfCubeMesh(links.npusPerNic)[nic]);
    }
    return PathThroughNode(
        members, links.wiring, placement.FirstOfNics(node, links.npusPerNic)[nic]);
}

/// Whether rings over an odd number of nodes stay on their rails. In a node without a switch other
/// ways than the usual ones would fill some links more than others; and with two NICs, each node
/// takes a ring from one to the other, so that an odd number of nodes ends at the wrong one.
bool
TurnsInNodeBeforeLast(const Placement& placement, const NodeLinks& links)
{
    constexpr uint32_t leastNics = 3;
    return placement.NodeCount() % 2 != 0 && links.wiring == NodeWiring::Switch &&
           placement.IsRegular() && placement.CountNics(links.npusPerNic) >= leastNics;
}

/// Through the node before the last of an odd number: from the last member before those of the NIC
/// up over them, and then from the others down to the first of the next NIC.
std::vector<uint32_t>
TurningPath(const Placement& placement, const NodeLinks& links, uint32_t node, uint32_t nic)
{
    const std::vector<uint32_t>& members = placement.MembersOf(node);
    const std::vector<uint32_t> firstOfNics = placement.FirstOfNics(node, links.npusPerNic);
    const auto size = static_cast<uint32_t>(members.size());
    const uint32_t entry = firstOfNics[nic] + size - 1;
    const uint32_t exit = firstOfNics[(nic + 1) % firstOfNics.size()];
    std::vector<uint32_t> path;
    for (uint32_t place = entry; place % size != exit; ++place)
    {
        path.push_back(members[place % size]);
    }
    for (uint32_t place = entry; path.size() < size;)
    {
        place = (place + size - 1) % size;
        path.push_back(members[place]);
    }
    return path;
}

/// Of the ring that enters the first node at its NIC with that number, through one of the nodes. It
/// leaves each at the NIC at which it enters the next one, as equal NICs of nodes share a rail.
std::vector<uint32_t>
PathOfRing(const Placement& placement, const NodeLinks& links, uint32_t node, uint32_t nic)
{
    const uint32_t nodesLeft = placement.NodeCount() - node;
    if (nodesLeft <= 2 && TurnsInNodeBeforeLast(placement, links))
    {
        const auto nics =
            static_cast<uint32_t>(placement.FirstOfNics(node, links.npusPerNic).size());
        return nodesLeft == 2 ? TurningPath(placement, links, node, nic)
                              : PathFromNic(placement, links, node, (nic + 1) % nics);
    }
    std::vector<uint32_t> path = PathFromNic(placement, links, node, nic);
    if (node % 2 != 0)
    {
        std::reverse(path.begin(), path.end());
    }
    return path;
}

/// The one that enters the first node at its NIC with that number.
RingWay
RingThroughNodes(const Placement& placement, const NodeLinks& links, uint32_t nic)
{
    std::vector<uint32_t> way;
    for (uint32_t node = 0; node < placement.NodeCount(); ++node)
    {
        const std::vector<uint32_t> path = PathOfRing(placement, links, node, nic);
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
    if (IsWholeCubeMesh(members, wiring))
    {
        return PathAlongDoubledLinks(members, {.begin = PlaceInDoubledRing(entry)});
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
    if (isAlone && IsWholeCubeMesh(first, links.wiring))
    {
        return RingsOfCubeMesh(first);
    }
    if (isAlone && links.wiring == NodeWiring::HybridCubeMesh)
    {
        return RingsOfPartOfCubeMesh(placement);
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
