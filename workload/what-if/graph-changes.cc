// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/graph-changes.h"

#include <algorithm>
#include <set>
#include <utility>

namespace nadi
{

namespace
{

/// Writes nodes in their order, each added call behind the node that it names.
///
/// Ids are given in a first round, as a node may wait for a call that stands behind it in the order
/// of nodes, where that takes the place of an earlier one.
class ChangedGraphWriter
{
  public:
    ChangedGraphWriter(const ExecutionGraph& graph, const GraphChanges& changes)
        : m_graph(graph)
        , m_changes(changes)
        , m_parents(FindParents(graph))
        , m_ids(graph.NodeCount(), 0)
        , m_builder(graph.Source())
    {
    }

    ExecutionGraph Run()
    {
        AddGroups(m_graph, m_builder);
        for (const std::string& group : m_changes.groups)
        {
            m_builder.AddGroup(group);
        }
        NumberNodes();
        size_t next = 0;
        for (uint32_t node = 0; node < m_graph.NodeCount(); ++node)
        {
            if (!IsRemoved(node))
            {
                NodeCopy copy = CopyNode(m_graph, node);
                copy.node.id = m_ids[node];
                const auto group = m_changes.groupOf.find(node);
                copy.node.group =
                    group == m_changes.groupOf.end() ? copy.node.group : group->second;
                AddCopy(std::move(copy), DependenciesOf(node), m_builder);
            }
            for (; next < m_changes.added.size() && m_changes.added[next].behind == node; ++next)
            {
                Add(next);
            }
        }
        return m_builder.Build();
    }

  private:
    bool IsRemoved(uint32_t node) const
    {
        return !m_changes.removed.empty() && m_changes.removed[node];
    }

    void NumberNodes()
    {
        uint64_t id = 0;
        size_t next = 0;
        for (uint32_t node = 0; node < m_graph.NodeCount(); ++node)
        {
            m_ids[node] = id;
            id += IsRemoved(node) ? 0 : 1;
            for (; next < m_changes.added.size() && m_changes.added[next].behind == node; ++next)
            {
                m_idsOfAdded.push_back(id++);
            }
        }
    }

    void Add(size_t index)
    {
        const AddedCall& added = m_changes.added[index];
        NodeCopy copy = added.call;
        copy.node.id = m_idsOfAdded[index];
        std::vector<uint64_t> after;
        for (const uint32_t node : added.after)
        {
            AddAwaited(index, node, after);
        }
        if (const auto before = m_changes.follows.find(index); before != m_changes.follows.end())
        {
            after.push_back(m_idsOfAdded[before->second]);
        }
        AddCopy(std::move(copy), after, m_builder);
    }

    /// What an added call waits for in place of a node of the recording. A call may stand for
    /// several nodes that waited for each other: of calls it waits only for those that come before
    /// it.
    void AddAwaited(size_t index, uint32_t node, std::vector<uint64_t>& ids) const
    {
        if (!IsRemoved(node))
        {
            ids.push_back(m_ids[node]);
            return;
        }
        const auto standIns = m_changes.replacements.find(node);
        if (standIns == m_changes.replacements.end())
        {
            for (const uint32_t before : m_parents[node])
            {
                AddAwaited(index, before, ids);
            }
            return;
        }
        for (const size_t call : standIns->second)
        {
            if (call < index)
            {
                ids.push_back(m_idsOfAdded[call]);
            }
        }
    }

    std::vector<uint64_t> DependenciesOf(uint32_t node) const
    {
        std::vector<uint64_t> ids;
        std::set<uint32_t> covered;
        // The calls of a gate take the place of parents that they wait for. Other parents stay.
        if (const auto gate = m_changes.gates.find(node); gate != m_changes.gates.end())
        {
            for (const size_t call : gate->second)
            {
                ids.push_back(m_idsOfAdded[call]);
                covered.insert(m_changes.added[call].after.begin(),
                               m_changes.added[call].after.end());
            }
        }
        for (const uint32_t parent : m_parents[node])
        {
            if (!covered.contains(parent))
            {
                AddParent(node, parent, ids);
            }
        }
        return ids;
    }

    void AddParent(uint32_t node, uint32_t parent, std::vector<uint64_t>& ids) const
    {
        // A parent that goes is followed back to nodes that stay, step by step, as several may go
        // in a row.
        if (!IsRemoved(parent))
        {
            ids.push_back(m_ids[parent]);
            return;
        }
        const auto standIns = m_changes.replacements.find(parent);
        if (standIns != m_changes.replacements.end())
        {
            for (const size_t call : standIns->second)
            {
                ids.push_back(m_idsOfAdded[call]);
            }
            return;
        }
        // Parameters come early. What their gather waited for would only hold up what uses them.
        const bool isGather = m_graph.Node(parent).collective == CollectiveType::AllGather;
        const bool hasOthers =
            std::ranges::any_of(m_parents[node], [&](uint32_t other) { return !IsRemoved(other); });
        if (isGather && hasOthers)
        {
            return;
        }
        for (const uint32_t before : m_parents[parent])
        {
            AddParent(parent, before, ids);
        }
    }

    const ExecutionGraph& m_graph;
    const GraphChanges& m_changes;
    std::vector<std::vector<uint32_t>> m_parents;
    std::vector<uint64_t> m_ids; // by node
    std::vector<uint64_t> m_idsOfAdded;
    ExecutionGraphBuilder m_builder;
};

} // namespace

ExecutionGraph
RewriteGraph(const ExecutionGraph& graph, const GraphChanges& changes)
{
    return ChangedGraphWriter(graph, changes).Run();
}

} // namespace nadi
