// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nadi
{

/// What is measured of a node.
enum class NodeQuantity : uint8_t
{
    Duration, ///< in nanoseconds
    Size,     ///< as in the trace: bytes or elements
    Operations,
};

inline constexpr std::array NODE_QUANTITIES{
    NodeQuantity::Duration, NodeQuantity::Size, NodeQuantity::Operations};

/// A value for each NodeQuantity.
using NodeQuantities = std::array<uint64_t, NODE_QUANTITIES.size()>;

NodeQuantities QuantitiesOf(const ExecutionNode& node);

/// The quantities of the nodes of one class, rank after rank, in the order of each rank's sequence.
class ClassSamples
{
  public:
    void BeginRank()
    {
        m_starts.push_back(Count());
    }

    /// Requires: BeginRank was called.
    void Add(const NodeQuantities& quantities);

    size_t Count() const
    {
        return m_values.front().size();
    }

    const std::vector<uint64_t>& Values(NodeQuantity quantity) const
    {
        return m_values[static_cast<size_t>(quantity)];
    }

    /// The values of each rank.
    std::vector<std::span<const uint64_t>> Sequences(NodeQuantity quantity) const;

  private:
    std::array<std::vector<uint64_t>, NODE_QUANTITIES.size()> m_values;
    std::vector<size_t> m_starts;
};

} // namespace nadi
