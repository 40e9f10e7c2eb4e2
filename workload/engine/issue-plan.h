// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/engine/node-route.h"
#include "workload/engine/rank-progress.h"
#include "workload/execution-graph.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi
{

/// What the engine needs to know of a graph beyond its dependencies; immutable, and shared by all
/// ranks that execute the graph.
///
/// Positions sort the nodes by (priority, node id): of two ready nodes that want one resource, the
/// one of smaller position goes first.
///
/// Streams: a CUDA stream runs its nodes one after the other in the static topological order, as
/// a queue that the program filled; never in the order in which they happen to become ready.
/// So each node on a stream waits for the one before it there, as if it depended on it. This adds
/// no cycle (the order is topological), and a collective that holds its stream while it waits for
/// peers cannot overtake what it must not: whether ranks wait for each other in a circle depends
/// on the traces alone, never on timing. Calls of a communicator on one stream run in the order of
/// their numbers, since both follow the same static order.
class IssuePlan
{
  public:
    explicit IssuePlan(const ExecutionGraph& graph);

    uint32_t PositionOf(uint32_t node) const
    {
        return m_positions[node];
    }

    uint32_t NodeAt(uint32_t position) const
    {
        return m_nodes[position];
    }

    /// The next node on the node's stream.
    std::optional<uint32_t> StreamSuccessor(uint32_t node) const
    {
        if (m_streamSuccessors.empty() || m_streamSuccessors[node] == NONE)
        {
            return std::nullopt;
        }
        return m_streamSuccessors[node];
    }

    /// How many nodes must be done before `node` is ready: its parents, and one more for a
    /// predecessor on its stream.
    uint32_t BlockerCount(uint32_t node) const;

    /// What every rank that executes the graph begins with.
    const InitialProgress& Initial() const
    {
        return m_initial;
    }

    /// Whether time on `route` counts as compute (docs/semantics.md 8): on an accelerator's compute
    /// and memory; on the CPU only in a trace without kernels, since a host that launches
    /// kernels does not hide communication.
    bool CountsAsCompute(NodeRoute route) const
    {
        return IsKernel(route) || route == NodeRoute::Memory ||
               (route == NodeRoute::Cpu && !m_runsKernels);
    }

    /// The nodes that call a collective, in static topological order.
    const std::vector<uint32_t>& CollectiveNodes() const
    {
        return m_collectiveNodes;
    }

    /// The nodes that access remote memory together with their group, in the same order.
    const std::vector<uint32_t>& GroupAccesses() const
    {
        return m_groupAccesses;
    }

  private:
    static constexpr uint32_t NONE = UINT32_MAX;

    void SortPositions();
    void FollowStaticOrder();
    void FindInitialProgress();
    void ChainStreams(const std::vector<uint32_t>& staticOrder);

    const ExecutionGraph& m_graph;
    bool m_runsKernels = false;
    std::vector<uint32_t> m_positions;
    std::vector<uint32_t> m_nodes; // by position
    std::vector<uint32_t> m_collectiveNodes;
    std::vector<uint32_t> m_groupAccesses;
    std::vector<uint32_t> m_streamSuccessors; // empty when the trace names no streams
    std::vector<bool> m_hasStreamPredecessor; // likewise
    InitialProgress m_initial;
};

} // namespace nadi
