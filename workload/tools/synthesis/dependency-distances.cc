// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/synthesis/dependency-distances.h"

#include "workload/tools/synthesis/node-class.h"

#include <algorithm>

namespace nadi
{

/// One list holds the parents of all nodes, with room for as many as each node has. A graph lists
/// children only, so a node that is taken enters itself at its children.
DependencyDistances::DependencyDistances(const ExecutionGraph& graph)
    : m_graph(graph)
    , m_found(graph.NodeCount(), 0)
    , m_counts(ClassTable::MOST_LANES, 0)
{
    uint32_t offset = 0;
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        m_offsets.push_back(offset);
        offset += graph.ParentCount(node);
    }
    m_parents.resize(offset);
}

DependencyPattern
DependencyDistances::Take(uint32_t node, uint32_t lane)
{
    DependencyPattern pattern;
    for (uint32_t index = 0; index < m_found[node]; ++index)
    {
        const LanePlace& parent = m_parents[m_offsets[node] + index];
        // m_counts says how many nodes of the lane were taken so far, so the last one is 1 back.
        pattern.push_back({parent.lane, m_counts[parent.lane] - parent.number});
    }
    std::sort(pattern.begin(), pattern.end());
    const LanePlace own{lane, m_counts[lane]++};
    for (const uint32_t child : m_graph.Children(node))
    {
        // m_parents has room for all parents of each node, from its offset on.
        m_parents[m_offsets[child] + m_found[child]++] = own;
    }
    return pattern;
}

} // namespace nadi
