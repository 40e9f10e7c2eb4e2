// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/inspection/critical-path.h"

#include "workload/engine/node-route.h"

#include <algorithm>
#include <limits>

namespace nadi
{

namespace
{

constexpr uint32_t NO_PREDECESSOR = std::numeric_limits<uint32_t>::max();
constexpr int64_t PS_PER_NANO = 1000;

/// Durations reach 106 days each, so that 2000 of them fill 64 bits of nanoseconds. A sum that
/// would pass them stays at the largest number, which CheckClock refuses like all beyond its clock.
uint64_t
AddNanos(uint64_t left, uint64_t right)
{
    const uint64_t sum = left + right;
    return sum < left ? std::numeric_limits<uint64_t>::max() : sum;
}

/// When each node ends at the earliest, and after which node that is.
class EarliestEnds
{
  public:
    explicit EarliestEnds(const ExecutionGraph& graph)
        : m_graph(graph)
        , m_ends(graph.NodeCount(), 0)
        , m_last(graph.NodeCount(), NO_PREDECESSOR)
    {
        Compute();
    }

    CriticalPath FindLongest() const
    {
        CriticalPath path;
        if (m_ends.empty())
        {
            return path;
        }
        // A path need not end in a node without children: those behind it may take no time.
        const auto last = std::ranges::max_element(m_ends);
        path.nanos = *last;
        for (auto node = static_cast<uint32_t>(last - m_ends.begin()); node != NO_PREDECESSOR;
             node = m_last[node])
        {
            path.nodes.push_back(node);
        }
        std::ranges::reverse(path.nodes);
        return path;
    }

  private:
    /// Kahn's algorithm: a node is taken after all that it depends on, so its end is final then.
    void Compute()
    {
        std::vector<uint32_t> unmet(m_graph.NodeCount());
        std::vector<uint32_t> ready;
        for (uint32_t node = 0; node < m_graph.NodeCount(); ++node)
        {
            unmet[node] = m_graph.ParentCount(node);
            if (unmet[node] == 0)
            {
                ready.push_back(node);
            }
        }
        while (!ready.empty())
        {
            const uint32_t node = ready.back();
            ready.pop_back();
            m_ends[node] = AddNanos(m_ends[node], RecordedWork(m_graph.Node(node)));
            for (const uint32_t child : m_graph.Children(node))
            {
                Delay(child, node);
                if (--unmet[child] == 0)
                {
                    ready.push_back(child);
                }
            }
        }
    }

    /// Until a node is ready, m_ends holds when it may start.
    void Delay(uint32_t child, uint32_t parent)
    {
        // The first parent counts even if it ends at 0, so that the path begins with a node without
        // dependencies.
        if (m_last[child] == NO_PREDECESSOR || m_ends[parent] > m_ends[child])
        {
            m_ends[child] = m_ends[parent];
            m_last[child] = parent;
        }
    }

    const ExecutionGraph& m_graph;
    std::vector<uint64_t> m_ends;
    std::vector<uint32_t> m_last;
};

} // namespace

uint64_t
RecordedWork(const ExecutionNode& node)
{
    switch (FindRoute(node))
    {
    case NodeRoute::Cpu:
    case NodeRoute::ComputeEngine:
    case NodeRoute::Stream:
    case NodeRoute::Memory:
    case NodeRoute::Delay:
        return static_cast<uint64_t>(node.durationPs / PS_PER_NANO);
    case NodeRoute::Untimed:
    case NodeRoute::Send:
    case NodeRoute::Receive:
    case NodeRoute::Collective:
        break;
    }
    return 0;
}

CriticalPath
FindCriticalPath(const ExecutionGraph& graph)
{
    return EarliestEnds(graph).FindLongest();
}

} // namespace nadi
