// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/cut-graph.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi::test
{

/// A link between members, with room for so many trees of equal rates.
struct PackingEdge
{
    uint32_t from = 0;
    uint32_t to = 0;
    int64_t trees = 0; ///< > 0
};

/// Equal trees from a root to all members.
struct PackedTree
{
    uint32_t root = 0;
    int64_t copies = 1;
    /// Numbers of edges, in the order in which the tree grew: each begins at the root or where one
    /// before it ends.
    std::vector<uint32_t> edges;
};

/// What trees are packed into.
struct PackingTask
{
    uint32_t members = 0;
    std::vector<PackingEdge> edges;
    int64_t treesOfRoot = 1; ///< how many trees each member is to be the root of
};

/// The edges of a graph, and how many trees each member is the root of (CountTrees), for an
/// all-gather at the rate of `limit`. None where the graph has vertices besides its members: trees
/// do not say how a switch passes on what it gets.
std::optional<PackingTask> MakePackingTask(const CutGraph& graph, const LoadedCut& limit);

/// Trees from every member to all, so that no edge is in more of them than it has room for
/// (Edmonds, "Edge-disjoint branchings", 1973; one edge for many trees at a time, as by Bérczi and
/// Frank, "Packing arborescences", 2010).
///
/// One tree grows at a time, breadth first. An edge x -> y goes to m copies of it: as many as leave
/// room for all other trees. That is the flow from x to y in what is left, in which every other
/// tree that is not whole is a vertex that x reaches by its copies, and that reaches what the tree
/// has; less all those copies. Where m is smaller than the copies of the tree, the tree is split.
///
/// Nothing where the edges have no room for them; there always is where `treesOfRoot` is the number
/// of trees at the throughput of an all-gather (FindThroughputCut). O(edges x members) flows at
/// most; in practice about one for each edge of a tree.
std::optional<std::vector<PackedTree>> PackTrees(const PackingTask& task);

} // namespace nadi::test
