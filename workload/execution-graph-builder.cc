// SPDX-License-Identifier: GPL-2.0-only
#include "workload/execution-graph-builder.h"

#include "common/check.h"
#include "common/error.h"
#include "workload/dependency-edges.h"
#include "workload/node-index.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace nadi
{

namespace
{

constexpr size_t MOST_NODES_IN_MESSAGE = 8;

} // namespace

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
    list.nodes.resize(list.ids.size(), static_cast<uint32_t>(m_nodes.size() - 1));
}

uint64_t
ExecutionGraphBuilder::DependencyCount(DependencyKind kind) const
{
    return ListOf(kind).ids.size();
}

uint64_t
ExecutionGraphBuilder::CountDangling(DependencyKind kind) const
{
    const NodeIndex index = MakeIndex();
    const auto isDangling = [&index](uint64_t id) { return index.Find(id) == NodeIndex::NONE; };
    return static_cast<uint64_t>(std::ranges::count_if(ListOf(kind).ids, isDangling));
}

bool
ExecutionGraphBuilder::IsAcyclic(DependencyKinds kinds) const
{
    return std::ranges::all_of(CountUnmet(ResolveEdges(kinds)),
                               [](uint32_t unmet) { return unmet == 0; });
}

ExecutionGraph
ExecutionGraphBuilder::Build(DependencyKinds kinds)
{
    DependencyEdges edges = ResolveEdges(kinds);
    if (std::ranges::any_of(CountUnmet(edges), [](uint32_t unmet) { return unmet > 0; }))
    {
        ThrowCycle(edges);
    }
    ExecutionGraph graph;
    m_nodes.shrink_to_fit();
    graph.m_source = std::move(m_source);
    graph.m_nodes = std::exchange(m_nodes, {});
    graph.m_childOffsets = std::move(edges.childOffsets);
    graph.m_children = std::move(edges.children);
    graph.m_parentCounts = std::move(edges.parentCounts);
    graph.m_strings = m_names.Take();
    graph.m_groupNames = m_groups.Take();
    m_data = {};
    m_control = {};
    return graph;
}

NodeIndex
ExecutionGraphBuilder::MakeIndex() const
{
    NodeIndex index(m_nodes);
    if (index.Duplicate())
    {
        const auto [first, second] = *index.Duplicate();
        throw ConfigError(m_source,
                          fmt::format("nodes {} and {} in order both have id {}; "
                                      "ids must be unique within a trace",
                                      first,
                                      second,
                                      m_nodes[first].id));
    }
    return index;
}

DependencyEdges
ExecutionGraphBuilder::ResolveEdges(DependencyKinds kinds) const
{
    const NodeIndex index = MakeIndex();
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
ExecutionGraphBuilder::ThrowCycle(const DependencyEdges& edges)
{
    const std::vector<uint32_t> cycle = FindCycle(edges);
    const std::vector<std::string> names = m_names.Take();
    std::string text;
    for (size_t step = 0; step < std::min(cycle.size(), MOST_NODES_IN_MESSAGE); ++step)
    {
        const ExecutionNode& node = m_nodes[cycle[step]];
        text += fmt::format("{} \"{}\" -> ", node.id, names[node.name]);
    }
    if (cycle.size() > MOST_NODES_IN_MESSAGE)
    {
        text += fmt::format("({} more) -> ", cycle.size() - MOST_NODES_IN_MESSAGE);
    }
    throw ConfigError(m_source,
                      fmt::format("the dependencies form a cycle of {} nodes: {}{}; "
                                  "no node of it could ever start",
                                  cycle.size(),
                                  text,
                                  m_nodes[cycle.front()].id));
}

const ExecutionGraphBuilder::DependencyList&
ExecutionGraphBuilder::ListOf(DependencyKind kind) const
{
    return kind == DependencyKind::Data ? m_data : m_control;
}

} // namespace nadi
