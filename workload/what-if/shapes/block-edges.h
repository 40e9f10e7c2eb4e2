// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/tools/structure/job-structure.h"
#include "workload/what-if/shapes/block-phases.h"
#include "workload/what-if/shapes/shape-target.h"
#include "workload/what-if/shapes/task-meaning.h"

#include <compare>
#include <cstdint>
#include <vector>

namespace nadi
{

/// What the tasks of a rank wait for, without the calls of its tensor group.
///
/// What waited for a sum waits for the result of its block; what waited for a gather, for what that
/// waited for; the rest for kernels. Where there are no calls, tasks of the pass of a block wait
/// for its result, but for the gradient of its own weights and the first gather behind an
/// embedding; tasks of other passes for its kernel, whose turn it is. Where no task of the pass
/// waits for that kernel otherwise, as on a stream whose order says it, the next one does but the
/// gradients of its own weights. A backward pass waits for the result of the output head of its
/// micro-batch, which is the loss; so do the kernels behind that head.
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
               const BlockPhases& phases,
               TensorModes modes);

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
    void AwaitResults();
    bool IsAwaited(uint32_t node) const;
    void AwaitResultNext(uint32_t node);
    bool IsOwnWeight(uint32_t parent, uint32_t child) const;
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
    const BlockPhases& m_phases;
    TensorModes m_modes;
    std::vector<Edges> m_edges; ///< by node
};

} // namespace nadi
