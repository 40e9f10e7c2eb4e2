// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/what-if/shapes/task-meaning.h"

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

namespace nadi
{

/// Whether ranks of a tensor group have parts of what a block takes in, with sequence parallelism.
/// A router works on its part.
bool IsGathered(BlockKind kind);

/// Whether each of them has a part of the sum that a block gives out.
bool IsReduced(BlockKind kind);

/// The tasks of a block in one pass, in one direction: a block is one task with several kernels, or
/// a task for each kernel. Forward the hidden width enters through the products that take it in and
/// leaves through the last product; backward the other way round. In between are tasks of the block
/// beside which nothing is communicated.
struct BlockPhase
{
    std::optional<uint32_t> first;       ///< product: of a backward phase also of weights
    std::optional<uint32_t> firstEnter;  ///< forward, or the gradient of its inputs
    std::optional<uint32_t> lastEnter;   ///< likewise
    std::optional<uint32_t> leave;       ///< likewise: the product that makes the outputs
    std::optional<uint32_t> firstWeight; ///< gradient
};

/// The phases of the blocks of a rank.
class BlockPhases
{
  public:
    /// The references outlive it.
    BlockPhases(const ExecutionGraph& graph, const RankMeaning& meaning);

    /// Requires: the node is of a block, and no core of an attention that has a task of its own.
    const BlockPhase& Of(uint32_t node) const;

    /// Whether the sum of what the task makes is wanted: forward of what its block gives out,
    /// backward of the gradient of what that takes in.
    bool IsSummed(uint32_t node) const;

    /// Whether the hidden width enters or leaves through the task.
    bool IsBoundary(uint32_t node) const;

    /// Whether the hidden width enters the block before it leaves it, or the other way round
    /// backward.
    bool IsInOrder(const BlockPhase& phase) const;

    /// Throws ConfigError where the hidden width does not enter a block before it leaves it, or the
    /// other way round backward: where its communication would stand is unknown.
    void Check() const;

  private:
    using Key = std::tuple<uint32_t, uint32_t, uint32_t, bool>;

    Key KeyOf(uint32_t node) const;
    void Add(uint32_t node);

    const ExecutionGraph& m_graph;
    const RankMeaning& m_meaning;
    std::map<Key, BlockPhase> m_phases;
};

} // namespace nadi
