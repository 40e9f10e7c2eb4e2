// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace nadi
{

/// A dependency between nodes of a graph, by index: `child` waits for `parent`.
struct Dependency
{
    uint32_t parent = 0;
    uint32_t child = 0;

    bool operator==(const Dependency&) const = default;
};

/// The dependencies of a graph as flat arrays (compressed rows), each once. A job has millions of
/// edges, and a vector for each node would cost more than the edges.
///
/// Example: 1 and 2 wait for 0, and 2 waits for 1. Then childOffsets = {0, 2, 3, 3}, children = {1,
/// 2, 2} and parentCounts = {0, 1, 2}.
///
/// Holds: the children of node i are children[childOffsets[i] .. childOffsets[i + 1]), ascending.
struct DependencyEdges
{
    std::vector<uint32_t> childOffsets; ///< one more than nodes
    std::vector<uint32_t> children;
    std::vector<uint32_t> parentCounts;

    std::span<const uint32_t> ChildrenOf(uint32_t node) const
    {
        return {children.data() + childOffsets[node], children.data() + childOffsets[node + 1]};
    }
};

/// Requires: `dependencies` ascending by child. Drops duplicates.
DependencyEdges MakeEdges(uint32_t nodeCount, std::span<const Dependency> dependencies);

/// How many dependencies of each node are never done, since they lie on a cycle or behind one;
/// all 0 exactly when the graph is acyclic.
std::vector<uint32_t> CountUnmet(const DependencyEdges& edges);

/// The nodes of a short cycle in order, each waiting for the one before it and the first for the
/// last; empty when there is none. The shortest of the cycles through a few nodes, not of all.
std::vector<uint32_t> FindCycle(const DependencyEdges& edges);

} // namespace nadi
