// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/tools/structure/job-structure.h"
#include "workload/what-if/shapes/shape-target.h"
#include "workload/what-if/shapes/task-meaning.h"

#include <compare>
#include <cstdint>
#include <vector>

namespace nadi
{

/// Whether ranks of a tensor group have parts of what a block takes in, with sequence parallelism.
/// A router works on its part.
bool IsGathered(BlockKind kind);

/// Whether each of them has a part of the sum that a block gives out.
bool IsReduced(BlockKind kind);

/// Whether the sum of what a work makes is wanted.
bool IsSummed(const BlockWork& work);

/// What the tasks of a rank wait for, without the calls of its tensor group.
///
/// What waited for a sum waits for the result of its block; what waited for a gather, for what that
/// waited for; the rest for kernels. Where there are no calls, tasks of the pass of a block wait
/// for its result, but for the gradient of its own weights and the first gather behind an
/// embedding; tasks of other passes for its kernel, whose turn it is. A backward pass waits for the
/// result of the output head of its micro-batch, which is the loss.
class BlockEdges
{
  public:
    struct Edge
    {
        uint32_t node = 0; ///< of the graph
        bool isResult = false;

        auto operator<=>(const Edge&) const = default;
    };

    using Edges = std::vector<Edge>;

    /// The references outlive it.
    BlockEdges(const ExecutionGraph& graph,
               const RankStructure& rank,
               const RankMeaning& meaning,
               TensorMode before,
               TensorMode after);

    /// Whether the task is a call of the tensor group that others replace.
    bool IsTaken(uint32_t node) const;

    /// In ascending order. None of them is taken.
    const Edges& Of(uint32_t node) const
    {
        return m_edges[node];
    }

    bool IsSameBlock(uint32_t one, uint32_t other) const;

  private:
    void FindEdges();
    Edges EdgesFrom(uint32_t parent) const;
    Edges EdgesWithoutCalls(uint32_t parent, uint32_t child) const;
    bool WaitsForResult(uint32_t parent, uint32_t child) const;
    bool IsFirstGather(uint32_t parent, uint32_t child) const;
    bool IsLoss(uint32_t parent, uint32_t child) const;
    bool IsNextInOrder(uint32_t parent, uint32_t child) const;
    const BlockWork* WorkOf(uint32_t node) const;

    const ExecutionGraph& m_graph;
    const RankStructure& m_rank;
    const RankMeaning& m_meaning;
    TensorMode m_before;
    TensorMode m_after;
    std::vector<Edges> m_edges; ///< by node
};

} // namespace nadi
