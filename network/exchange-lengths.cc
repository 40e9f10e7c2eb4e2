// SPDX-License-Identifier: GPL-2.0-only
#include "network/exchange-bounds.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

using Amount = CutGraph::Amount;

// A direction of a link, at the vertex that it leaves.
struct LengthArc
{
    uint32_t to;
    uint64_t length;
    Amount rate;
};

using LengthArcs = std::vector<std::vector<LengthArc>>;

template <typename LengthOfRate>
LengthArcs
GiveLengths(const CutGraph& graph, const LengthOfRate& lengthOf)
{
    LengthArcs arcs(graph.VertexCount());
    for (const CutGraph::Joint& joint : graph.Joints())
    {
        arcs[joint.first].push_back({joint.second, lengthOf(joint.forth), joint.forth});
        arcs[joint.second].push_back({joint.first, lengthOf(joint.back), joint.back});
    }
    return arcs;
}

/// Sum of the lengths of the shortest ways from `source` to all members (Dijkstra).
Amount
SumLengths(const LengthArcs& arcs, uint32_t source, uint32_t memberCount)
{
    using Visit = std::pair<uint64_t, uint32_t>; // length, vertex
    std::vector<bool> isSeen(arcs.size());
    std::priority_queue<Visit, std::vector<Visit>, std::greater<>> waiting;
    waiting.push({0, source});
    Amount sum = 0;
    while (!waiting.empty())
    {
        const auto [length, vertex] = waiting.top();
        waiting.pop();
        // A vertex may wait several times; its first turn is that of its shortest way.
        if (isSeen[vertex])
        {
            continue;
        }
        isSeen[vertex] = true;
        sum += vertex < memberCount ? length : 0;
        for (const LengthArc& arc : arcs[vertex])
        {
            waiting.push({length + arc.length, arc.to});
        }
    }
    return sum;
}

LoadedCut
BoundByLengths(const CutGraph& graph, const LengthArcs& arcs)
{
    LoadedCut bound;
    for (uint32_t member = 0; member < graph.MemberCount(); ++member)
    {
        // Each member is the source of its own blocks, so every ordered pair counts.
        bound.load += SumLengths(arcs, member, graph.MemberCount());
    }
    for (const std::vector<LengthArc>& ofVertex : arcs)
    {
        for (const LengthArc& arc : ofVertex)
        {
            bound.rate += arc.rate * arc.length;
        }
    }
    return bound;
}

/// The fastest link has the length 2^6, and none is longer than 2^12: so sums of lengths over the
/// ways of all blocks have 40 bits at most, as IsTighter requires.
LengthArcs
GiveInverseLengths(const CutGraph& graph)
{
    // Integers, so that the bound is exact.
    static constexpr Amount shortest = 1 << 6;
    static constexpr Amount longest = 1 << 12;
    Amount fastest = 1;
    for (const CutGraph::Joint& joint : graph.Joints())
    {
        fastest = std::max({fastest, joint.forth, joint.back});
    }
    return GiveLengths(graph,
                       [fastest](Amount rate)
                       {
                           // The bound holds for any lengths. A joint without a rate in this
                           // direction adds nothing to the sum of rates, whatever its length.
                           const Amount length =
                               rate == 0 ? longest : std::min(longest, shortest * fastest / rate);
                           return static_cast<uint64_t>(length);
                       });
}

} // namespace

LoadedCut
FindExchangeLengths(const CutGraph& graph)
{
    const LoadedCut equal =
        BoundByLengths(graph, GiveLengths(graph, [](Amount) { return uint64_t{1}; }));
    const LoadedCut inverse = BoundByLengths(graph, GiveInverseLengths(graph));
    return IsTighter(inverse, equal) ? inverse : equal;
}

} // namespace nadi
