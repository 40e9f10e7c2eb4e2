// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/host/recorded-host.h"

#include "workload/what-if/graph-copy.h"

#include <algorithm>
#include <optional>

namespace nadi
{

RecordedHost::RecordedHost(const ExecutionGraph& graph)
    : m_graph(graph)
    , m_parents(FindParents(graph))
    , m_leads(graph.NodeCount())
    , m_trails(graph.NodeCount())
    , m_issues(graph.NodeCount())
    , m_isEmpty(
          std::ranges::none_of(graph.Nodes(), [](const ExecutionNode& node) { return node.isCpu; }))
{
    if (!m_isEmpty)
    {
        FindIssues();
        Deal();
    }
}

/// A task is issued by the last operator that it waits for.
void
RecordedHost::FindIssues()
{
    for (uint32_t node = 0; node < m_graph.NodeCount(); ++node)
    {
        const ExecutionNode& what = m_graph.Node(node);
        // What no operator launches counts as issued at its own place.
        m_issues[node] = {node, node};
        for (const uint32_t parent : m_parents[node]) // in ascending order
        {
            if (!what.isCpu && m_graph.Node(parent).isCpu)
            {
                m_issues[node] = {parent, node};
            }
        }
        m_queues[std::pair<bool, uint32_t>(what.isCpu, what.stream)].push_back(m_issues[node]);
    }
    for (auto& [name, queue] : m_queues)
    {
        std::ranges::sort(queue);
    }
}

void
RecordedHost::Deal()
{
    // One operator may launch several tasks. The operators before it lead up to the first of them.
    std::map<uint32_t, uint32_t> launched; // by operator: its first task
    for (uint32_t node = 0; node < m_graph.NodeCount(); ++node)
    {
        const uint32_t by = m_issues[node].first;
        if (m_graph.Node(by).isCpu && by != node)
        {
            launched.emplace(by, node);
        }
    }
    std::optional<uint32_t> before; // the task that was launched last
    for (uint32_t node = 0; node < m_graph.NodeCount(); ++node)
    {
        if (!m_graph.Node(node).isCpu)
        {
            continue;
        }
        // The operators since the last launch gather in the tail. What is left at the end stays
        // there.
        m_tail.push_back(node);
        const auto task = launched.find(node);
        if (task != launched.end())
        {
            // Operators of the tail that wait for the task launched before belong to that task, so
            // they are taken out first.
            Close(before, m_tail);
            m_leads[task->second] = std::move(m_tail);
            m_tail.clear();
            before = task->second;
        }
    }
    Close(before, m_tail);
}

/// Takes what ends a task out of the operators behind its launch.
void
RecordedHost::Close(std::optional<uint32_t> task, TaskList& gap)
{
    const auto isEnd = [&](uint32_t node) { return task && IsEndOf(m_issues[*task].first, node); };
    const auto last = std::find_if(gap.rbegin(), gap.rend(), isEnd);
    if (last != gap.rend())
    {
        m_trails[*task].assign(gap.begin(), last.base());
        gap.erase(gap.begin(), last.base());
    }
}

/// Whether an operator waits for a task, or for another thread, as of a launch.
bool
RecordedHost::IsEndOf(uint32_t launch, uint32_t node) const
{
    return std::ranges::any_of(m_parents[node],
                               [&](uint32_t parent)
                               {
                                   const ExecutionNode& what = m_graph.Node(parent);
                                   const bool isOther =
                                       !what.isCpu || what.stream != m_graph.Node(node).stream;
                                   // It counts only if it was issued no later than the launch. An
                                   // operator that waits for later work leads up to the next
                                   // launch.
                                   return isOther && m_issues[parent].first <= launch;
                               });
}

const std::vector<RecordedHost::Issue>&
RecordedHost::QueueOf(uint32_t node) const
{
    return m_queues.at({m_graph.Node(node).isCpu, m_graph.Node(node).stream});
}

uint32_t
RecordedHost::IssuedBetween(uint32_t node, uint32_t later) const
{
    // Both ends are left out: the node itself and the later one.
    const std::vector<Issue>& queue = QueueOf(node);
    const auto from = std::ranges::upper_bound(queue, m_issues[node]);
    const auto to = std::ranges::lower_bound(queue, m_issues[later]);
    return static_cast<uint32_t>(std::max<ptrdiff_t>(0, to - from));
}

bool
RecordedHost::IsFirstOfQueue(uint32_t node) const
{
    return QueueOf(node).front() == m_issues[node];
}

} // namespace nadi
