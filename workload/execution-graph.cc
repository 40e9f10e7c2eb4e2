// SPDX-License-Identifier: GPL-2.0-only
#include "workload/execution-graph.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>

namespace nadi
{

std::vector<uint32_t>
ExecutionGraph::TopologicalOrder() const
{
    using Entry = std::tuple<int32_t, uint64_t, uint32_t>; // priority, id, index
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
    const auto makeReady = [this, &ready](uint32_t index)
    { ready.emplace(m_nodes[index].priority, m_nodes[index].id, index); };
    std::vector<uint32_t> unmet = m_parentCounts;
    for (uint32_t index = 0; index < NodeCount(); ++index)
    {
        if (unmet[index] == 0)
        {
            makeReady(index);
        }
    }
    std::vector<uint32_t> order;
    order.reserve(NodeCount());
    while (!ready.empty())
    {
        const uint32_t index = std::get<2>(ready.top());
        ready.pop();
        order.push_back(index);
        for (const uint32_t child : Children(index))
        {
            if (--unmet[child] == 0)
            {
                makeReady(child);
            }
        }
    }
    return order;
}

SharedSplits
ExecutionGraph::SplitsOf(uint32_t index) const
{
    if (!m_nodes[index].hasSplits)
    {
        return nullptr;
    }
    const auto found = std::ranges::lower_bound(
        m_splits, index, {}, [](const auto& entry) { return entry.first; });
    return found->second;
}

const std::vector<KernelLaunch>&
ExecutionGraph::KernelsOf(const ExecutionNode& node) const
{
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
