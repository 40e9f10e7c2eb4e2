// SPDX-License-Identifier: GPL-2.0-only
#include "workload/execution-graph.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace nadi
{

namespace
{

/// Kahn's algorithm; of all nodes that wait for nothing more, the one with the smallest key is
/// next.
template <typename Key>
std::vector<uint32_t>
OrderByReadiness(const ExecutionGraph& graph, std::vector<uint32_t> unmet, Key key)
{
    // Behind the key stands the index, so that equal keys leave no choice.
    using Entry = std::pair<decltype(key(0U)), uint32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        if (unmet[index] == 0)
        {
            ready.emplace(key(index), index);
        }
    }
    std::vector<uint32_t> order;
    order.reserve(graph.NodeCount());
    while (!ready.empty())
    {
        const uint32_t index = ready.top().second;
        ready.pop();
        order.push_back(index);
        for (const uint32_t child : graph.Children(index))
        {
            if (--unmet[child] == 0)
            {
                ready.emplace(key(child), child);
            }
        }
    }
    return order;
}

/// What nodes have, by node, once these are at new places. It is found by bisection, so it is
/// sorted by these.
template <class Entries>
void
MoveEntries(Entries& entries, const std::vector<uint32_t>& places)
{
    for (auto& entry : entries)
    {
        entry.first = places[entry.first];
    }
    std::ranges::sort(entries, {}, [](const auto& entry) { return entry.first; });
}

} // namespace

std::vector<uint32_t>
ExecutionGraph::TopologicalOrder() const
{
    return OrderByReadiness(*this,
                            m_parentCounts,
                            [this](uint32_t index)
                            { return std::pair(m_nodes[index].priority, m_nodes[index].id); });
}

std::vector<uint32_t>
ExecutionGraph::TopologicalOrderBy(std::span<const int64_t> keys) const
{
    return OrderByReadiness(
        *this, m_parentCounts, [keys](uint32_t index) { return keys.empty() ? 0 : keys[index]; });
}

ExecutionGraph
ExecutionGraph::InOrder(std::span<const uint32_t> order) const
{
    std::vector<uint32_t> places(NodeCount());
    for (uint32_t place = 0; place < NodeCount(); ++place)
    {
        places[order[place]] = place;
    }
    // The copy keeps what has no order: names, groups and lists of kernels.
    ExecutionGraph made(*this);
    made.m_children.clear();
    for (uint32_t place = 0; place < NodeCount(); ++place)
    {
        const uint32_t index = order[place];
        made.m_nodes[place] = m_nodes[index];
        made.m_parentCounts[place] = m_parentCounts[index];
        for (const uint32_t child : Children(index))
        {
            made.m_children.push_back(places[child]);
        }
        // Children were ascending by their old indices.
        std::ranges::sort(made.m_children.begin() + made.m_childOffsets[place],
                          made.m_children.end());
        made.m_childOffsets[place + 1] = static_cast<uint32_t>(made.m_children.size());
    }
    MoveEntries(made.m_splits, places);
    MoveEntries(made.m_waits, places);
    return made;
}

SharedSplits
ExecutionGraph::SplitsOf(uint32_t index) const
{
    if (!m_nodes[index].hasSplits)
    {
        return nullptr;
    }
    // SetSplits sets the flag and adds the entry, so the search finds one.
    const auto found = std::ranges::lower_bound(
        m_splits, index, {}, [](const auto& entry) { return entry.first; });
    return found->second;
}

std::optional<SimTime>
ExecutionGraph::WaitOf(uint32_t index) const
{
    const auto found =
        std::ranges::lower_bound(m_waits, index, {}, [](const auto& entry) { return entry.first; });
    const bool isThere = found != m_waits.end() && found->first == index;
    return isThere ? std::optional(found->second) : std::nullopt;
}

const std::vector<KernelLaunch>&
ExecutionGraph::KernelsOf(const ExecutionNode& node) const
{
    // Only of a compute node is `peer` the number of a list; number 0 is the empty list.
    return m_kernels[node.type == NodeType::Compute ? node.peer : 0];
}

size_t
ExecutionGraph::MemoryBytes() const
{
    size_t kernels = 0;
    for (const std::vector<KernelLaunch>& launches : m_kernels)
    {
        kernels += launches.empty() ? 0 : sizeof(launches) + launches.size() * sizeof(KernelLaunch);
    }
    return kernels + m_nodes.capacity() * sizeof(ExecutionNode) +
           (m_childOffsets.capacity() + m_children.capacity() + m_parentCounts.capacity()) *
               sizeof(uint32_t);
}

} // namespace nadi
