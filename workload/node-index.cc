// SPDX-License-Identifier: GPL-2.0-only
#include "workload/node-index.h"

#include <algorithm>

namespace nadi
{

NodeIndex::NodeIndex(std::span<const ExecutionNode> nodes)
{
    if (nodes.empty())
    {
        return;
    }
    const auto [least, most] = std::ranges::minmax(nodes, {}, &ExecutionNode::id);
    m_firstId = least.id;
    const uint64_t width = most.id - least.id; // the number of ids between, less one
    // The table takes 4 bytes for each id between the first and the last, the sorted list 16 for
    // each node: up to four ids for a node the table is no larger.
    if (width / 4 < nodes.size())
    {
        m_table.assign(width + 1, NONE);
        FillTable(nodes);
    }
    else
    {
        FillSorted(nodes);
    }
}

uint32_t
NodeIndex::Find(uint64_t id) const
{
    if (!m_table.empty())
    {
        const uint64_t offset = id - m_firstId; // wraps to a large number below the first id
        return offset < m_table.size() ? m_table[offset] : NONE;
    }
    const auto found =
        std::ranges::lower_bound(m_sorted, id, {}, &std::pair<uint64_t, uint32_t>::first);
    return found != m_sorted.end() && found->first == id ? found->second : NONE;
}

void
NodeIndex::FillTable(std::span<const ExecutionNode> nodes)
{
    for (uint32_t index = 0; index < nodes.size(); ++index)
    {
        uint32_t& entry = m_table[nodes[index].id - m_firstId];
        if (entry != NONE && !m_duplicate)
        {
            m_duplicate = {entry, index};
        }
        // Of two nodes with one id, the last one is found. A graph with such nodes gets no
        // dependencies (ExecutionGraphBuilder::Build).
        entry = index;
    }
}

void
NodeIndex::FillSorted(std::span<const ExecutionNode> nodes)
{
    m_sorted.reserve(nodes.size());
    for (uint32_t index = 0; index < nodes.size(); ++index)
    {
        m_sorted.emplace_back(nodes[index].id, index);
    }
    std::ranges::sort(m_sorted);
    const auto twice =
        std::ranges::adjacent_find(m_sorted, {}, &std::pair<uint64_t, uint32_t>::first);
    if (twice != m_sorted.end())
    {
        m_duplicate = {twice->second, std::next(twice)->second};
    }
}

} // namespace nadi
