// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"

#include <cstdint>
#include <optional>
#include <queue>
#include <vector>

namespace nadi
{

/// Hands out the nodes of a trace in an order that its dependencies allow, for simulators of their
/// own: the part of Nadi that another program can use in place of Chakra's feeder.
///
///     TraceFile trace = ReadTraceFile("job.0.et", DependencyPolicy::Auto);
///     TraceFeeder feeder(trace.graph);
///     while (!feeder.IsDone())
///     {
///         while (std::optional<uint32_t> node = feeder.TakeReady())
///         {
///             Start(trace.graph.Node(*node)); // the simulator's own; ends some time later
///         }
///         feeder.Complete(WaitForNextEnd());
///     }
///
/// A node is ready when all that it depends on is complete. Of several, the one with the smallest
/// (priority, node id) comes first, so the order depends on nothing but the trace and the order of
/// completions. The whole graph is in memory (ExecutionGraph says how much), and a trace with a
/// cycle was refused when it was read; so the feeder never stops before all nodes are complete.
///
/// Unlike JobEngine it knows no resources, no streams and no communication: they are the
/// simulator's.
class TraceFeeder
{
  public:
    /// Requires: the graph outlives it.
    explicit TraceFeeder(const ExecutionGraph& graph);

    /// The index of the next ready node, given out once; none while nothing is ready.
    std::optional<uint32_t> TakeReady();

    /// The node has ended: what waited for it may be ready now. Requires: it was taken, and has not
    /// been completed.
    void Complete(uint32_t node);

    /// Whether all nodes are complete.
    bool IsDone() const
    {
        return m_left == 0;
    }

  private:
    enum class State : uint8_t
    {
        Waiting,
        Taken,
        Complete,
    };

    struct ComesLater
    {
        const ExecutionGraph* graph;
        bool operator()(uint32_t left, uint32_t right) const;
    };

    const ExecutionGraph& m_graph;
    std::vector<State> m_states;     // by node
    std::vector<uint32_t> m_missing; // by node: how many it still waits for
    std::priority_queue<uint32_t, std::vector<uint32_t>, ComesLater> m_ready;
    uint32_t m_left;
};

} // namespace nadi
