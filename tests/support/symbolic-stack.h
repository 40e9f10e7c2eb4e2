// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/dimension.h"
#include "system/collective-plan.h"
#include "tests/support/symbolic-buffers.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nadi::symbolic
{

/// One algorithm for each dimension of a stack, innermost first.
using AlgorithmPerDimension = std::vector<const CollectiveAlgorithm*>;

/// The ranks that run a phase along a dimension together, by coordinate.
using Line = std::vector<uint32_t>;
std::vector<Line> FindLines(const RankGrid& grid, uint32_t dimension);

/// A stack of dimensions whose ranks hold tokens, and phases of a hierarchical collective that run
/// along one dimension at a time, on every line of it.
///
/// Phases work on what the ranks of a line hold: a reduce-scatter leaves each with its owned
/// ranges of that, an all-gather undoes the division of the last dimension that was divided.
class Stack
{
  public:
    Stack(const RankGrid& grid, uint32_t elements, AlgorithmPerDimension algorithms);

    /// Divides what the ranks hold along `dimension`, as a reduce-scatter would, without moving
    /// anything: so that an all-gather alone has shards to begin with.
    void Divide(uint32_t dimension);

    /// The problem, or none.
    std::optional<std::string> ReduceScatter(uint32_t dimension);
    std::optional<std::string> AllReduce(uint32_t dimension);
    /// Requires: `dimension` is the last one divided and not yet gathered.
    std::optional<std::string> AllGather(uint32_t dimension);

    /// Elements of the whole buffer that `rank` holds, in the order in which it holds them.
    const std::vector<uint32_t>& HeldBy(uint32_t rank) const
    {
        return m_held[rank];
    }

    ConstTokenCounts At(uint32_t rank, uint32_t element) const
    {
        return m_buffers.At(rank, 0, element);
    }

  private:
    using ElementList = std::vector<uint32_t>;

    PlanRequest RequestFor(CollectiveType type, uint32_t dimension, const ElementList& held) const;
    std::optional<std::string>
    RunLines(CollectiveType type, uint32_t dimension, const std::vector<ElementList>& held);
    Buffers Load(const Line& line, const ElementList& held) const;
    void Store(const Line& line, const ElementList& held, const Buffers& buffers);

    RankGrid m_grid;
    AlgorithmPerDimension m_algorithms;
    Buffers m_buffers;
    std::vector<ElementList> m_held;                   // by rank
    std::vector<std::vector<ElementList>> m_undivided; // what m_held was, by division
};

} // namespace nadi::symbolic
