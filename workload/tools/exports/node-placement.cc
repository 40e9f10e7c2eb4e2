// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/exports/node-placement.h"

#include "common/check.h"
#include "workload/document/node-attributes.h"
#include "workload/document/recorded-clock.h"
#include "workload/engine/node-route.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace nadi
{

namespace
{

/// Places nodes in the order of their dependencies.
class NodePlacer
{
  public:
    NodePlacer(const TraceDocument& document, const ExecutionGraph& graph)
        : m_document(document)
        , m_graph(graph)
        , m_clock(document)
        , m_ready(graph.NodeCount(), 0)
        , m_parentStart(graph.NodeCount(), std::numeric_limits<int64_t>::min())
    {
        for (const ChakraProtoMsg::Node& node : document.nodes)
        {
            m_placement.startNanos.push_back(ClockStart(node));
        }
    }

    NodePlacement Place()
    {
        const bool isRecorded = m_clock.Begin() != std::numeric_limits<int64_t>::max();
        // Parents come before children, so m_ready of a node is final when the node is reached.
        for (const uint32_t node : m_graph.TopologicalOrder())
        {
            // A recorded start stays, even if it is before the end of a node that it depends on.
            int64_t& start = m_placement.startNanos[node];
            if (!HasStart(node))
            {
                ++m_placement.placed;
                start = isRecorded ? FindGap(node) : TakeTurn(node);
            }
            PassOn(node, start);
        }
        return std::move(m_placement);
    }

  private:
    /// A 0 is no start where a node that it depends on begins later.
    bool HasStart(uint32_t node) const
    {
        return m_clock.HasStart(m_document.nodes[node]) &&
               (m_placement.startNanos[node] != 0 || m_parentStart[node] <= 0);
    }

    int64_t DurationOf(uint32_t node) const
    {
        return GetDurationNanos(m_document.nodes[node]);
    }

    /// Of a node without a start among others that have one.
    ///
    /// It need not wait for its resource: recorded nodes may leave no time free for it.
    int64_t FindGap(uint32_t node) const
    {
        return m_graph.ParentCount(node) > 0
                   ? m_ready[node]
                   : std::max<int64_t>(m_clock.Begin() - DurationOf(node), 0);
    }

    int64_t TakeTurn(uint32_t index)
    {
        const ExecutionNode& node = m_graph.Node(index);
        const NodeRoute route = FindRoute(node);
        const bool isSerial = route == NodeRoute::Cpu || IsKernel(route) || HoldsStream(node);
        if (!isSerial)
        {
            return m_ready[index];
        }
        const bool isStream = HoldsStream(node);
        // Nodes of one stream share it, whatever their route. Of nodes of the CPU, `stream` is the
        // thread.
        int64_t& free = m_free[{isStream ? NodeRoute::Stream : route,
                                isStream || route == NodeRoute::Cpu ? node.stream : 0}];
        // Nodes get their turns in the topological order, as those of a stream do in a run.
        const int64_t start = std::max(free, m_ready[index]);
        free = start + DurationOf(index);
        return start;
    }

    void PassOn(uint32_t node, int64_t start)
    {
        for (const uint32_t child : m_graph.Children(node))
        {
            m_ready[child] = std::max(m_ready[child], start + DurationOf(node));
            m_parentStart[child] = std::max(m_parentStart[child], start);
        }
    }

    const TraceDocument& m_document;
    const ExecutionGraph& m_graph;
    RecordedClock m_clock;
    std::vector<int64_t> m_ready;       // the last end of what a node depends on
    std::vector<int64_t> m_parentStart; // the last start of these
    std::map<std::pair<NodeRoute, uint32_t>, int64_t> m_free; // when a resource is free
    NodePlacement m_placement;
};

} // namespace

NodePlacement
PlaceNodes(const TraceDocument& document, const ExecutionGraph& graph)
{
    NADI_CHECK(document.nodes.size() == graph.NodeCount());
    return NodePlacer(document, graph).Place();
}

} // namespace nadi
