// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/kernel-edits.h"

#include "common/error.h"
#include "workload/execution-graph-builder.h"
#include "workload/what-if/graph-copy.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <regex>
#include <set>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

/// Kernels by the regular expression of an edit.
class KernelPattern
{
  public:
    KernelPattern(const std::string& edit, const std::string& pattern)
        : m_edit(edit)
        , m_pattern(pattern)
    {
        try
        {
            m_regex = std::regex(pattern, std::regex::ECMAScript);
        }
        catch (const std::regex_error&)
        {
            throw ConfigError("what-if: " + m_edit,
                              fmt::format("\"{}\" is no regular expression", pattern));
        }
    }

    /// By index.
    std::vector<bool> FindIn(const ExecutionGraph& graph)
    {
        std::vector<bool> fits(graph.NodeCount(), false);
        for (uint32_t node = 0; node < graph.NodeCount(); ++node)
        {
            const std::string_view name = graph.Name(node);
            fits[node] = graph.Node(node).type == NodeType::Compute &&
                         std::regex_search(name.begin(), name.end(), m_regex);
            m_hasFit = m_hasFit || fits[node];
        }
        return fits;
    }

    void CheckFit() const
    {
        if (!m_hasFit)
        {
            throw ConfigError("what-if: " + m_edit,
                              fmt::format("the name of no kernel fits \"{}\"; nadi trace analyze "
                                          "lists names",
                                          m_pattern));
        }
    }

  private:
    std::string m_edit;
    std::string m_pattern;
    std::regex m_regex;
    bool m_hasFit = false;
};

/// Writes a graph again, node by node.
class GraphRewriter
{
  public:
    explicit GraphRewriter(const ExecutionGraph& graph)
        : m_graph(graph)
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
            ids.push_back(m_graph.Node(parent).id);
        }
        AddCopy(std::move(copy), ids, m_builder);
    }

    ExecutionGraph Finish()
    {
        return m_builder.Build();
    }

  private:
    const ExecutionGraph& m_graph;
    std::vector<std::vector<uint32_t>> m_parents;
    ExecutionGraphBuilder m_builder;
};

uint64_t
Divide(uint64_t number, double factor)
{
    return static_cast<uint64_t>(std::llround(static_cast<double>(number) / factor));
}

ExecutionGraph
WithSpeed(const ExecutionGraph& graph, const std::vector<bool>& fits, double factor)
{
    GraphRewriter rewriter(graph);
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        NodeCopy copy = CopyNode(graph, index);
        if (fits[index])
        {
            constexpr int64_t NS = 1000;
            ExecutionNode& node = copy.node;
            node.durationPs = std::llround(static_cast<double>(node.durationPs / NS) / factor) * NS;
            node.operations = Divide(node.operations, factor);
            node.size = Divide(node.size, factor);
            for (KernelLaunch& kernel : copy.kernels)
            {
                kernel.operations = Divide(kernel.operations, factor);
                kernel.bytes = Divide(kernel.bytes, factor);
            }
        }
        rewriter.Write(std::move(copy), rewriter.ParentsOf(index));
    }
    return rewriter.Finish();
}

ExecutionGraph
Without(const ExecutionGraph& graph, const std::vector<bool>& isRemoved)
{
    GraphRewriter rewriter(graph);
    // What stands for each node: itself, or what it waited for. Parents come first.
    std::vector<std::set<uint32_t>> standIns(graph.NodeCount());
    for (const uint32_t index : graph.TopologicalOrder())
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
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        if (isRemoved[index])
        {
            continue;
        }
        std::set<uint32_t> parents;
        for (const uint32_t parent : rewriter.ParentsOf(index))
        {
            parents.insert(standIns[parent].begin(), standIns[parent].end());
        }
        rewriter.Write(CopyNode(graph, index), parents);
    }
    return rewriter.Finish();
}

} // namespace

Workload
ChangeSpeed(Workload job, const std::string& pattern, double factor)
{
    KernelPattern kernels("speed", pattern);
    for (ExecutionGraph& graph : job.graphs)
    {
        graph = WithSpeed(graph, kernels.FindIn(graph), factor);
    }
    kernels.CheckFit();
    return job;
}

Workload
RemoveKernels(Workload job, const std::string& pattern)
{
    KernelPattern kernels("remove", pattern);
    for (ExecutionGraph& graph : job.graphs)
    {
        graph = Without(graph, kernels.FindIn(graph));
    }
    kernels.CheckFit();
    return job;
}

} // namespace nadi
