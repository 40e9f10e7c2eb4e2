// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace nadi
{

/// Finds a node's index by its id. Ids are mostly dense, and then a direct table of them is
/// fastest; ids that lie far apart (hashes, or several processes in one trace) would make it huge,
/// so they stand in a sorted list.
class NodeIndex
{
  public:
    static constexpr uint32_t NONE = ~uint32_t{0};

    explicit NodeIndex(std::span<const ExecutionNode> nodes);

    /// The index, or NONE when no node has the id.
    uint32_t Find(uint64_t id) const;

    /// Two indices of nodes with one id, when there are such.
    const std::optional<std::pair<uint32_t, uint32_t>>& Duplicate() const
    {
        return m_duplicate;
    }

  private:
    void FillTable(std::span<const ExecutionNode> nodes);
    void FillSorted(std::span<const ExecutionNode> nodes);

    uint64_t m_firstId = 0;
    std::vector<uint32_t> m_table;                       // by id - m_firstId
    std::vector<std::pair<uint64_t, uint32_t>> m_sorted; // used when the table is empty
    std::optional<std::pair<uint32_t, uint32_t>> m_duplicate;
};

} // namespace nadi
