// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/graph-rewriter.h"

#include <set>
#include <utility>

namespace nadi
{

namespace
{

enum class IdsWritten
{
    Kept,
    Indices
};

/// Writes a graph again, node by node.
class GraphRewriter
{
  public:
    explicit GraphRewriter(const ExecutionGraph& graph, IdsWritten ids = IdsWritten::Kept)
        : m_graph(graph)
        , m_ids(ids)
        , m_parents(FindParents(graph))
        , m_builder(graph.Source())
    {
        AddGroups(graph, m_builder);
    }

    const std::vector<uint32_t>& ParentsOf(uint32_t node) const
    {
        return m_parents[node];
    }

    /// Requires: `parents` are written, now or later.
    template <class Parents>
    void Write(NodeCopy copy, const Parents& parents)
    {
        std::vector<uint64_t> ids;
        for (const uint32_t parent : parents)
        {
            ids.push_back(IdOf(parent));
        }
        AddCopy(std::move(copy), ids, m_builder);
    }

    uint64_t IdOf(uint32_t node) const
    {
        return m_ids == IdsWritten::Kept ? m_graph.Node(node).id : node;
    }

    ExecutionGraph Finish()
    {
        return m_builder.Build();
    }

  private:
    const ExecutionGraph& m_graph;
    IdsWritten m_ids;
    std::vector<std::vector<uint32_t>> m_parents;
    ExecutionGraphBuilder m_builder;
};

/// What stands for each node: itself, or what it waited for.
std::vector<std::set<uint32_t>>
FindStandIns(const ExecutionGraph& graph,
             const GraphRewriter& rewriter,
             const std::vector<bool>& isRemoved)
{
    std::vector<std::set<uint32_t>> standIns(graph.NodeCount());
    // Each node takes over what its parents stand for, so chains of nodes that go are followed in
    // one round over the graph.
    for (const uint32_t index : graph.TopologicalOrder()) // parents come first
    {
        if (!isRemoved[index])
        {
            standIns[index] = {index};
            continue;
        }
        for (const uint32_t parent : rewriter.ParentsOf(index))
        {
            standIns[index].insert(standIns[parent].begin(), standIns[parent].end());
        }
    }
    return standIns;
}

/// Whether ids are indices.
bool
IsNumbered(const ExecutionGraph& graph)
{
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        if (graph.Node(node).id != node)
        {
            return false;
        }
    }
    return true;
}

ExecutionGraph
Numbered(const ExecutionGraph& graph)
{
    GraphRewriter rewriter(graph, IdsWritten::Indices);
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        NodeCopy copy = CopyNode(graph, node);
        copy.node.id = rewriter.IdOf(node);
        rewriter.Write(std::move(copy), rewriter.ParentsOf(node));
    }
    return rewriter.Finish();
}

} // namespace

ExecutionGraph
ChangeNodes(const ExecutionGraph& graph, const NodeChange& change)
{
    GraphRewriter rewriter(graph);
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        NodeCopy copy = CopyNode(graph, index);
        change(index, copy);
        rewriter.Write(std::move(copy), rewriter.ParentsOf(index));
    }
    return rewriter.Finish();
}

ExecutionGraph
ChangeNodesWithout(const ExecutionGraph& graph,
                   const std::vector<bool>& isRemoved,
                   const NodeChange& change)
{
    GraphRewriter rewriter(graph);
    const std::vector<std::set<uint32_t>> standIns = FindStandIns(graph, rewriter, isRemoved);
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        if (isRemoved[index])
        {
            continue;
        }
        // A set, as a node may come to wait for the same one in several ways.
        std::set<uint32_t> parents;
        for (const uint32_t parent : rewriter.ParentsOf(index))
        {
            parents.insert(standIns[parent].begin(), standIns[parent].end());
        }
        NodeCopy copy = CopyNode(graph, index);
        change(index, copy);
        rewriter.Write(std::move(copy), parents);
    }
    return rewriter.Finish();
}

void
NumberNodes(Workload& job)
{
    for (ExecutionGraph& graph : job.graphs)
    {
        if (!IsNumbered(graph))
        {
            graph = Numbered(graph);
        }
    }
}

} // namespace nadi
