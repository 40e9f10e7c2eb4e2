// SPDX-License-Identifier: GPL-2.0-only
#include "system/fabric-limits.h"

#include "common/check.h"
#include "network/exchange-bounds.h"
#include "network/narrowest-cut.h"
#include "network/throughput-cut.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace nadi
{

namespace
{

std::vector<uint32_t>
ListMembers(const CutGraph& graph)
{
    std::vector<uint32_t> members(graph.MemberCount());
    std::iota(members.begin(), members.end(), 0);
    return members;
}

std::vector<uint32_t>
ListAllBut(const CutGraph& graph, uint32_t root)
{
    std::vector<uint32_t> members = ListMembers(graph);
    members.erase(members.begin() + root);
    return members;
}

/// What leaves a side in the mirrored graph enters it in the true one, so it leaves the other side.
LoadedCut
MirrorCut(LoadedCut cut)
{
    cut.inside.flip();
    return cut;
}

/// Of an all-gather, broadcast or gather.
LoadedCut
FindSpreadCut(const CutGraph& graph, CollectiveType type, uint32_t root)
{
    switch (type)
    {
    case CollectiveType::AllGather:
        // Each member sends its shard to all others.
        return *FindThroughputCut(graph, ListMembers(graph), ListMembers(graph));
    case CollectiveType::Gather:
        // Each member but the root sends its part to the root.
        return *FindThroughputCut(graph, ListAllBut(graph, root), {root});
    default:
        NADI_CHECK(type == CollectiveType::Broadcast);
        return *FindNarrowestCut(graph, root);
    }
}

/// The collective that is this one backwards, with sums in the place of copies.
CollectiveType
FindReverse(CollectiveType type)
{
    switch (type)
    {
    case CollectiveType::ReduceScatter:
        return CollectiveType::AllGather;
    case CollectiveType::Scatter:
        return CollectiveType::Gather;
    default:
        NADI_CHECK(type == CollectiveType::Reduce);
        return CollectiveType::Broadcast;
    }
}

/// The narrowest cut between members: whether member 0 is inside or outside, there is another one
/// on the other side.
LoadedCut
FindSeparatingCut(const CutGraph& graph)
{
    const CutGraph mirrored = graph.Mirrored();
    const LoadedCut out = *FindNarrowestCut(graph, 0);
    // If all links have equal rates in both directions, so have all cuts, and one search is enough.
    if ((mirrored <=> graph) == std::strong_ordering::equal)
    {
        return out;
    }
    const LoadedCut in = MirrorCut(*FindNarrowestCut(mirrored, 0));
    return IsTighter(in, out) ? in : out;
}

/// Each message leaves a member and enters one. All members together need p times 2 S (p-1)/p.
LoadedCut
CountMessages(const CutGraph& graph)
{
    const std::vector<CutGraph::Ports> ports = graph.FindPorts();
    CutGraph::Ports all;
    for (uint32_t member = 0; member < graph.MemberCount(); ++member)
    {
        all.out += ports[member].out;
        all.in += ports[member].in;
    }
    return {{}, graph.MemberCount(), std::min(all.out, all.in)};
}

std::vector<FabricLimit>
LimitAllReduce(const CutGraph& graph, ReducedBy reducedBy)
{
    std::vector<FabricLimit> limits{{FabricLimitKind::Cut, FindSeparatingCut(graph)}};
    if (reducedBy == ReducedBy::Members)
    {
        limits.push_back({FabricLimitKind::Messages, CountMessages(graph)});
    }
    return limits;
}

/// Bytes of one unit.
Bytes
FabricUnit(FabricLimitKind kind, const CollectiveExtent& extent)
{
    if (kind == FabricLimitKind::Messages)
    {
        return ComputeAverageTraffic(extent);
    }
    const bool isCut =
        extent.type == CollectiveType::ReduceScatter || extent.type == CollectiveType::AllToAll;
    return isCut ? Bytes(extent.size.Count() / extent.ranks) : extent.size;
}

} // namespace

std::vector<FabricLimit>
FindFabricLimits(const CutGraph& graph, const FabricQuestion& question)
{
    if (graph.MemberCount() < 2)
    {
        return {};
    }
    switch (question.type)
    {
    case CollectiveType::AllGather:
    case CollectiveType::Broadcast:
    case CollectiveType::Gather:
        return {{FabricLimitKind::Cut, FindSpreadCut(graph, question.type, question.root)}};
    case CollectiveType::ReduceScatter:
    case CollectiveType::Reduce:
    case CollectiveType::Scatter:
        return {{FabricLimitKind::Cut,
                 MirrorCut(
                     FindSpreadCut(graph.Mirrored(), FindReverse(question.type), question.root))}};
    case CollectiveType::AllReduce:
        return LimitAllReduce(graph, question.reducedBy);
    case CollectiveType::AllToAll:
        return {{FabricLimitKind::Cut, FindExchangeCut(graph)},
                {FabricLimitKind::Ways, FindExchangeLengths(graph)}};
    case CollectiveType::Barrier:
        return {};
    }
    NADI_CHECK(false);
}

SimTime
ComputeFabricTime(const FabricLimit& limit, const CollectiveExtent& extent)
{
    const detail::Wide bytes = FabricUnit(limit.kind, extent).Count() * limit.cut.load;
    // The rate is in bit/s, and a second has 10^12 ps.
    return SimTime::FromPs(
        detail::DivideRoundingUp(bytes * (8 * 1'000'000'000'000), limit.cut.rate));
}

const FabricLimit*
FindTightestLimit(const std::vector<FabricLimit>& limits, const CollectiveExtent& extent)
{
    const auto found = std::max_element(
        limits.begin(),
        limits.end(),
        [&](const FabricLimit& one, const FabricLimit& other)
        { return ComputeFabricTime(one, extent) < ComputeFabricTime(other, extent); });
    return found == limits.end() ? nullptr : &*found;
}

uint64_t
EstimateFabricWork(const CutGraph& graph, CollectiveType type)
{
    // A joint stands for a link in each direction.
    const uint64_t links = graph.Joints().size() * 2;
    const uint64_t members = graph.MemberCount();
    const uint64_t vertices = graph.VertexCount();
    switch (type)
    {
    case CollectiveType::Gather:
    case CollectiveType::Scatter:
        // The root is the only sink, so each step of FindThroughputCut takes one flow.
        return links;
    case CollectiveType::AllToAll:
        // From each member a side of the cut grows by one vertex at a time, and all other vertices
        // are tried each time; then come two flows (FindExchangeCut).
        return members * (3 * links + vertices * vertices);
    default:
        return members * links;
    }
}

} // namespace nadi
