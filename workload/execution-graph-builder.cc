// SPDX-License-Identifier: GPL-2.0-only
#include "workload/execution-graph-builder.h"

#include "common/check.h"
#include "common/text.h"
#include "workload/dependency-edges.h"
#include "workload/node-index.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace nadi
{

namespace
{

constexpr size_t MOST_NODES_IN_MESSAGE = 8;

} // namespace

// A graph is made in three steps. Dependencies are collected as ids, since the node that an id
// means may come later. When all nodes are there, an index of ids resolves them, and they become
// compressed rows (MakeEdges). Then Kahn's algorithm shows whether there is a cycle. All of it is
// linear in nodes and dependencies, but for the sort where ids lie far apart (NodeIndex).

/// Dependencies with their ids resolved, before they become flat arrays.
struct ExecutionGraphBuilder::Resolver
{
    const NodeIndex& index;
    std::vector<Dependency> found;

    /// Appends those of node `child`, which begin at `at` of the list; returns where they end.
    size_t Append(const DependencyList& list, size_t at, uint32_t child)
    {
        for (; at < list.ids.size() && list.nodes[at] == child; ++at)
        {
            const uint32_t parent = index.Find(list.ids[at]);
            if (parent != NodeIndex::NONE)
            {
                found.push_back({.parent = parent, .child = child});
            }
        }
        return at;
    }
};

ExecutionGraphBuilder::ExecutionGraphBuilder(std::string source)
    : m_source(std::move(source))
{
    // Group 0, all ranks, is in every graph.
    m_groups.Intern("");
}

uint32_t
ExecutionGraphBuilder::AddGroup(std::string_view name)
{
    // Writers say "all ranks" by no group or by group 0, which some write as a floating-point
    // number.
    return name == "0" || name == "0.0" ? 0 : m_groups.Intern(name);
}

uint32_t
ExecutionGraphBuilder::AddNode(const ExecutionNode& node,
                               std::string_view name,
                               std::span<const uint64_t> dependencies)
{
    NADI_CHECK(m_nodes.size() < NodeIndex::NONE);
    m_nodes.push_back(node);
    m_nodes.back().name = m_names.Intern(name);
    m_nodes.back().hasSplits = false; // until SetSplits
    if (node.type == NodeType::Compute)
    {
        // Of a compute node, `peer` is the number of its kernels.
        m_nodes.back().peer = 0; // until SetKernels
    }
    AddDependencies(DependencyKind::Data, dependencies);
    return static_cast<uint32_t>(m_nodes.size() - 1);
}

uint32_t
ExecutionGraphBuilder::AddNode(const ExecutionNode& node,
                               std::string_view name,
                               std::initializer_list<uint64_t> dependencies)
{
    return AddNode(node, name, std::span(dependencies.begin(), dependencies.size()));
}

void
ExecutionGraphBuilder::AddDependencies(DependencyKind kind, std::span<const uint64_t> dependencies)
{
    NADI_CHECK(!m_nodes.empty());
    DependencyList& list = kind == DependencyKind::Data ? m_data : m_control;
    list.ids.insert(list.ids.end(), dependencies.begin(), dependencies.end());
    // Grows by one entry, the child, for each new id.
    list.nodes.resize(list.ids.size(), static_cast<uint32_t>(m_nodes.size() - 1));
}

void
ExecutionGraphBuilder::SetSplits(SharedSplits splits)
{
    NADI_CHECK(!m_nodes.empty() && splits != nullptr);
    ExecutionNode& node = m_nodes.back();
    NADI_CHECK(node.type == NodeType::Collective && !node.hasSplits &&
               node.collective == CollectiveType::AllToAll);
    node.hasSplits = true;
    // Nodes come in the order of their indices, so the list is sorted, as ExecutionGraph::SplitsOf
    // needs it.
    m_splits.emplace_back(static_cast<uint32_t>(m_nodes.size() - 1), std::move(splits));
}

void
ExecutionGraphBuilder::SetWait(SimTime wait)
{
    NADI_CHECK(!m_nodes.empty());
    const NodeType type = m_nodes.back().type;
    NADI_CHECK(type == NodeType::Collective || type == NodeType::Send || type == NodeType::Receive);
    m_waits.emplace_back(static_cast<uint32_t>(m_nodes.size() - 1), wait);
}

void
ExecutionGraphBuilder::SetKernels(std::vector<KernelLaunch> kernels)
{
    NADI_CHECK(!m_nodes.empty() && m_nodes.back().type == NodeType::Compute && !kernels.empty());
    const auto next = static_cast<uint32_t>(m_kernels.size() + 1);
    m_nodes.back().peer = m_kernels.try_emplace(std::move(kernels), next).first->second;
}

/// By number; the first is empty.
std::vector<std::vector<KernelLaunch>>
ExecutionGraphBuilder::TakeKernels()
{
    std::vector<std::vector<KernelLaunch>> kernels(m_kernels.size() + 1);
    while (!m_kernels.empty())
    {
        // The keys of a map are const; an extracted one can be moved.
        auto list = m_kernels.extract(m_kernels.begin());
        kernels[list.mapped()] = std::move(list.key());
    }
    return kernels;
}

uint64_t
ExecutionGraphBuilder::DependencyCount(DependencyKind kind) const
{
    return ListOf(kind).ids.size();
}

uint64_t
ExecutionGraphBuilder::CountDangling(DependencyKind kind) const
{
    const NodeIndex index(m_nodes);
    const auto isDangling = [&index](uint64_t id) { return index.Find(id) == NodeIndex::NONE; };
    return static_cast<uint64_t>(std::ranges::count_if(ListOf(kind).ids, isDangling));
}

bool
ExecutionGraphBuilder::IsAcyclic(DependencyKinds kinds) const
{
    return std::ranges::all_of(CountUnmet(ResolveEdges(kinds)),
                               [](uint32_t unmet) { return unmet == 0; });
}

void
ExecutionGraphBuilder::VisitDangling(DependencyKind kind,
                                     const std::function<void(uint32_t node)>& visit) const
{
    const NodeIndex index(m_nodes);
    const DependencyList& list = ListOf(kind);
    for (size_t at = 0; at < list.ids.size(); ++at)
    {
        if (index.Find(list.ids[at]) == NodeIndex::NONE)
        {
            visit(list.nodes[at]);
        }
    }
}

ExecutionGraph
ExecutionGraphBuilder::Build(DependencyKinds kinds, TraceListener& listener)
{
    const auto nodeCount = static_cast<uint32_t>(m_nodes.size());
    // With two nodes of one id, nobody could say which of them a dependency on that id means.
    DependencyEdges edges =
        TellDuplicates(listener) ? MakeEdges(nodeCount, {}) : ResolveEdges(kinds);
    if (std::ranges::any_of(CountUnmet(edges), [](uint32_t unmet) { return unmet > 0; }))
    {
        TellCycle(edges, listener);
        // Reached only where the listener lets the problem pass. A topological order would leave
        // out the nodes on the cycle and behind it. Without dependencies it has all nodes.
        edges = MakeEdges(nodeCount, {});
    }
    ExecutionGraph graph;
    // The graph lives as long as the job, so room that is reserved for more nodes goes now.
    m_nodes.shrink_to_fit();
    graph.m_source = std::move(m_source);
    graph.m_nodes = std::exchange(m_nodes, {});
    graph.m_childOffsets = std::move(edges.childOffsets);
    graph.m_children = std::move(edges.children);
    graph.m_parentCounts = std::move(edges.parentCounts);
    graph.m_splits = std::exchange(m_splits, {});
    graph.m_waits = std::exchange(m_waits, {});
    graph.m_kernels = TakeKernels();
    graph.m_strings = m_names.Take();
    graph.m_groupNames = m_groups.Take();
    m_data = {};
    m_control = {};
    return graph;
}

/// Tells of each pair of nodes that have one id; whether there is one.
bool
ExecutionGraphBuilder::TellDuplicates(TraceListener& listener) const
{
    // The index tells cheaply that there is no duplicate, as in nearly all traces. The map, which
    // finds all duplicates, is made for broken traces only.
    if (!NodeIndex(m_nodes).Duplicate())
    {
        return false;
    }
    std::map<uint64_t, uint32_t> firstOfId;
    for (uint32_t node = 0; node < m_nodes.size(); ++node)
    {
        const auto [first, isFirst] = firstOfId.try_emplace(m_nodes[node].id, node);
        if (!isFirst)
        {
            listener.OnProblem(
                {.where = m_source,
                 .text = "has the id of an earlier node; ids must be unique within a trace",
                 .message = fmt::format("nodes {} and {} in order both have id {}; "
                                        "ids must be unique within a trace",
                                        first->second,
                                        node,
                                        m_nodes[node].id),
                 .nodes = {NameNode(node)}});
        }
    }
    return true;
}

DependencyEdges
ExecutionGraphBuilder::ResolveEdges(DependencyKinds kinds) const
{
    const NodeIndex index(m_nodes);
    Resolver resolver{.index = index, .found = {}};
    const bool useData = kinds != DependencyKinds::Control;
    const bool useControl = kinds != DependencyKinds::Data;
    resolver.found.reserve((useData ? m_data.ids.size() : 0) +
                           (useControl ? m_control.ids.size() : 0));
    size_t data = useData ? 0 : m_data.ids.size();
    size_t control = useControl ? 0 : m_control.ids.size();
    for (uint32_t child = 0; child < m_nodes.size(); ++child)
    {
        // Both lists are sorted by node, as nodes were added one after the other, so one pass over
        // the nodes merges them.
        data = resolver.Append(m_data, data, child);
        control = resolver.Append(m_control, control, child);
    }
    return MakeEdges(static_cast<uint32_t>(m_nodes.size()), resolver.found);
}

void
ExecutionGraphBuilder::TellCycle(const DependencyEdges& edges, TraceListener& listener) const
{
    const std::vector<uint32_t> cycle = FindCycle(edges);
    TraceProblem problem{.where = m_source,
                         .text = fmt::format("are a cycle of {}, each of which depends on "
                                             "the one before it, so that none could ever start; "
                                             "remove one of the dependencies",
                                             CountText(cycle.size(), "node")),
                         .message = {},
                         .nodes = {}};
    std::string steps;
    for (const uint32_t node : cycle)
    {
        problem.nodes.push_back(NameNode(node));
        if (problem.nodes.size() <= MOST_NODES_IN_MESSAGE)
        {
            steps += fmt::format("{} \"{}\" -> ", m_nodes[node].id, NameOf(node));
        }
    }
    if (cycle.size() > MOST_NODES_IN_MESSAGE)
    {
        steps += fmt::format("({} more) -> ", cycle.size() - MOST_NODES_IN_MESSAGE);
    }
    problem.message = fmt::format("the dependencies form a cycle of {}: {}{}; "
                                  "no node of it could ever start",
                                  CountText(cycle.size(), "node"),
                                  steps,
                                  m_nodes[cycle.front()].id);
    listener.OnProblem(problem);
}

TraceNodeName
ExecutionGraphBuilder::NameNode(uint32_t index) const
{
    return {m_nodes[index].id, std::string(NameOf(index))};
}

const ExecutionGraphBuilder::DependencyList&
ExecutionGraphBuilder::ListOf(DependencyKind kind) const
{
    return kind == DependencyKind::Data ? m_data : m_control;
}

} // namespace nadi
