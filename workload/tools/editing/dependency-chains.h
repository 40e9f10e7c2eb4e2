// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

namespace nadi
{

/// A kept node on which another one depends, over a path of removed ones.
struct Ancestor
{
    uint32_t node = 0;
    bool viaControl = false; ///< else by data dependencies alone

    auto operator<=>(const Ancestor&) const = default;
};

/// Chains of nodes: paths of data dependencies, so that of two nodes of a chain the later one
/// depends on the earlier one. Each node is on one chain.
class DependencyChains
{
  public:
    explicit DependencyChains(uint32_t nodeCount);

    /// Puts a node at the end of a chain that ends with one of its data dependencies, or on one of
    /// its own. Order: parents before children; each node once.
    void Add(uint32_t node, std::span<const uint32_t> dataParents);

    /// Keeps each node once, and of each chain only the last node, on which nothing is lost: it
    /// depends on the others by data. A path over a control dependency is implied by any later
    /// node of the chain, a path of data only by one that is reached by data as well.
    void Prune(std::vector<Ancestor>& ancestors) const;

  private:
    std::tuple<uint32_t, uint32_t, bool> SortKey(const Ancestor& ancestor) const;

    std::vector<uint32_t> m_chain; // of a node
    std::vector<uint32_t> m_place; // of a node in the order of Add
    std::vector<uint32_t> m_lastOfChain;
    uint32_t m_added = 0;
};

} // namespace nadi
