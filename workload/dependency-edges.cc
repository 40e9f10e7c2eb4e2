// SPDX-License-Identifier: GPL-2.0-only
#include "workload/dependency-edges.h"

#include <algorithm>
#include <limits>

namespace nadi
{

namespace
{

constexpr uint32_t NONE = std::numeric_limits<uint32_t>::max();
constexpr uint32_t MOST_SEARCHES = 64; // each is a breadth-first search over what is stuck

/// Drops repeated dependencies and counts the children of every node into offsets[node + 1].
std::vector<Dependency>
KeepEachOnce(std::span<const Dependency> dependencies, DependencyEdges& edges)
{
    std::vector<Dependency> kept;
    kept.reserve(dependencies.size());
    // The dependencies of one child stand together, so a repeated one is found by the last child of
    // its parent alone.
    std::vector<uint32_t> lastChild(edges.parentCounts.size(), NONE);
    for (const Dependency& dependency : dependencies)
    {
        if (lastChild[dependency.parent] == dependency.child)
        {
            continue;
        }
        lastChild[dependency.parent] = dependency.child;
        ++edges.childOffsets[dependency.parent + 1];
        ++edges.parentCounts[dependency.child];
        kept.push_back(dependency);
    }
    return kept;
}

/// The shortest cycle through `start`, among nodes of `alive`; empty when there is none.
std::vector<uint32_t>
FindCycleThrough(uint32_t start, const DependencyEdges& edges, const std::vector<bool>& alive)
{
    std::vector<uint32_t> cameFrom(alive.size(), NONE);
    std::vector<uint32_t> queue{start};
    for (size_t at = 0; at < queue.size(); ++at)
    {
        const uint32_t node = queue[at];
        for (const uint32_t child : edges.ChildrenOf(node))
        {
            if (child == start)
            {
                std::vector<uint32_t> cycle;
                for (uint32_t step = node; step != NONE; step = cameFrom[step])
                {
                    cycle.push_back(step);
                }
                std::ranges::reverse(cycle);
                return cycle;
            }
            if (alive[child] && cameFrom[child] == NONE)
            {
                cameFrom[child] = node;
                queue.push_back(child);
            }
        }
    }
    return {};
}

/// Goes node by node, so that the dependencies are ascending by child, as MakeEdges requires.
DependencyEdges
Reverse(const DependencyEdges& edges)
{
    std::vector<Dependency> reversed;
    for (uint32_t node = 0; node < edges.parentCounts.size(); ++node)
    {
        for (const uint32_t child : edges.ChildrenOf(node))
        {
            reversed.push_back({.parent = child, .child = node});
        }
    }
    return MakeEdges(static_cast<uint32_t>(edges.parentCounts.size()), reversed);
}

/// The nodes on a cycle or on a way from one cycle to another; each has a child among them.
std::vector<bool>
FindBetweenCycles(const DependencyEdges& edges)
{
    // What Kahn's algorithm never reaches lies on a cycle or behind one; along the reversed edges,
    // on a cycle or before one. Both hold for a node on a cycle, or on a way from one to another.
    const std::vector<uint32_t> behind = CountUnmet(edges);
    const std::vector<uint32_t> before = CountUnmet(Reverse(edges));
    std::vector<bool> between(behind.size());
    for (size_t node = 0; node < behind.size(); ++node)
    {
        between[node] = behind[node] > 0 && before[node] > 0;
    }
    return between;
}

/// A node on a cycle that is reached from `start`. Requires: `start` is alive, and every alive
/// node has an alive child.
uint32_t
WalkIntoCycle(uint32_t start,
              const DependencyEdges& edges,
              const std::vector<bool>& alive,
              std::vector<bool>& walked)
{
    std::vector<bool> onThisWalk(alive.size());
    uint32_t node = start;
    // The walk never ends at a dead end, since every alive node has an alive child. So it comes
    // back to a node of its own, which lies on a cycle.
    while (!onThisWalk[node])
    {
        onThisWalk[node] = true;
        walked[node] = true;
        node = *std::ranges::find_if(edges.ChildrenOf(node),
                                     [&alive](uint32_t child) { return alive[child]; });
    }
    return node;
}

} // namespace

DependencyEdges
MakeEdges(uint32_t nodeCount, std::span<const Dependency> dependencies)
{
    DependencyEdges edges;
    edges.childOffsets.assign(size_t{nodeCount} + 1, 0);
    edges.parentCounts.assign(nodeCount, 0);
    const std::vector<Dependency> kept = KeepEachOnce(dependencies, edges);
    // The counts become offsets; then each child is put behind those of its parent that came before
    // it.
    for (uint32_t node = 0; node < nodeCount; ++node)
    {
        edges.childOffsets[node + 1] += edges.childOffsets[node];
    }
    edges.children.resize(kept.size());
    std::vector<uint32_t> next(edges.childOffsets.begin(), edges.childOffsets.end() - 1);
    for (const Dependency& dependency : kept)
    {
        edges.children[next[dependency.parent]++] = dependency.child;
    }
    return edges;
}

std::vector<uint32_t>
CountUnmet(const DependencyEdges& edges)
{
    std::vector<uint32_t> unmet = edges.parentCounts;
    // A stack will do: the order in which nodes are done does not change which ones are.
    std::vector<uint32_t> ready;
    for (uint32_t node = 0; node < unmet.size(); ++node)
    {
        if (unmet[node] == 0)
        {
            ready.push_back(node);
        }
    }
    while (!ready.empty())
    {
        const uint32_t node = ready.back();
        ready.pop_back();
        for (const uint32_t child : edges.ChildrenOf(node))
        {
            if (--unmet[child] == 0)
            {
                ready.push_back(child);
            }
        }
    }
    return unmet;
}

// A cycle that users can follow is a short one, and to find the shortest of all takes a search from
// every node. So a few walks each lead to some cycle, and the shortest cycle through the node where
// they close is taken.
std::vector<uint32_t>
FindCycle(const DependencyEdges& edges)
{
    const std::vector<bool> alive = FindBetweenCycles(edges);
    std::vector<bool> walked(alive.size());
    std::vector<uint32_t> best;
    uint32_t searches = 0;
    for (uint32_t node = 0; node < alive.size() && searches < MOST_SEARCHES; ++node)
    {
        // The walk from a node that was walked over before would end in a cycle that is known.
        if (!alive[node] || walked[node])
        {
            continue;
        }
        std::vector<uint32_t> cycle =
            FindCycleThrough(WalkIntoCycle(node, edges, alive, walked), edges, alive);
        ++searches;
        if (best.empty() || cycle.size() < best.size())
        {
            best = std::move(cycle);
        }
    }
    return best;
}

} // namespace nadi
