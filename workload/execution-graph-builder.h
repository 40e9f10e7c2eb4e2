// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/string-table.h"
#include "workload/trace-problems.h"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nadi
{

struct DependencyEdges;
class NodeIndex;

enum class DependencyKind : uint8_t
{
    Data,
    Control,
};

/// Which dependencies a graph obeys.
enum class DependencyKinds : uint8_t
{
    Data,
    Control,
    Both,
};

/// Makes an ExecutionGraph of nodes in any order: forward references and duplicate dependencies
/// are fine, dependencies on ids that no node has are left out.
///
///     ExecutionGraphBuilder builder("example");
///     builder.AddNode({.id = 1, .durationPs = 5, .type = NodeType::Compute}, "forward");
///     builder.AddNode({.id = 2, .type = NodeType::Collective}, "gradients", {1});
///     ExecutionGraph graph = builder.Build();
class ExecutionGraphBuilder
{
  public:
    /// `source` stands in messages: a file, or what made the graph.
    explicit ExecutionGraphBuilder(std::string source);

    /// Index of a group for ExecutionNode::group. 0 (all ranks) for "", "0" and "0.0".
    uint32_t AddGroup(std::string_view name);

    /// Adds a node after which `dependencies` (ids, of kind Data) must be done; returns its index.
    /// The `name` member of `node` is set here.
    uint32_t AddNode(const ExecutionNode& node,
                     std::string_view name,
                     std::span<const uint64_t> dependencies);
    uint32_t AddNode(const ExecutionNode& node,
                     std::string_view name,
                     std::initializer_list<uint64_t> dependencies = {});

    /// Further dependencies of the node added last. Requires: there is one.
    void AddDependencies(DependencyKind kind, std::span<const uint64_t> dependencies);

    /// Gives the node added last a size for each member of its group, in the unit of its `size` and
    /// in the order of the group's list of ranks; `splits->sends` add up to its `size`. Nodes may
    /// share splits. Requires: it is an all-to-all, and has none yet.
    ///
    ///     auto splits = std::make_shared<const ExchangeSplits>(ExchangeSplits{{0, 64, 192}});
    ///     builder.AddNode({.id = 3,
    ///                      .size = 256,
    ///                      .type = NodeType::Collective,
    ///                      .collective = CollectiveType::AllToAll},
    ///                     "dispatch");
    ///     builder.SetSplits(splits);
    void SetSplits(SharedSplits splits);

    /// Says how long the node added last waited, when it was recorded: for the other members of its
    /// collective and for slots, or for its send. Requires: it is communication, and has none yet.
    void SetWait(SimTime wait);

    /// Says what the node added last runs. Nodes that run the same share one list. Requires: it is
    /// a compute node, and `kernels` is not empty.
    void SetKernels(std::vector<KernelLaunch> kernels);

    /// As given, duplicates and dangling ones included.
    uint64_t DependencyCount(DependencyKind kind) const;
    /// Of those, the ones on ids that no node has.
    uint64_t CountDangling(DependencyKind kind) const;
    bool IsAcyclic(DependencyKinds kinds) const;

    /// Calls `visit` with the index of the node for each of its dependencies on an id that no node
    /// has, in the order of nodes.
    void VisitDangling(DependencyKind kind, const std::function<void(uint32_t node)>& visit) const;

    const ExecutionNode& Node(uint32_t index) const
    {
        return m_nodes[index];
    }

    std::string_view NameOf(uint32_t index) const
    {
        return m_names.At(m_nodes[index].name);
    }

    /// Gives the graph away; the builder is empty afterwards.
    ///
    /// Nodes of one id and dependencies that form a cycle (the nodes of a short one are named) are
    /// problems. Where the listener lets them pass, the graph has no dependencies at all.
    ExecutionGraph Build(DependencyKinds kinds = DependencyKinds::Both,
                         TraceListener& listener = ThrowProblems());

  private:
    /// Ids of parents in order of their children.
    struct DependencyList
    {
        std::vector<uint64_t> ids;
        std::vector<uint32_t> nodes; // the child of each id, ascending
    };

    struct Resolver;

    DependencyEdges ResolveEdges(DependencyKinds kinds) const;
    bool TellDuplicates(TraceListener& listener) const;
    std::vector<std::vector<KernelLaunch>> TakeKernels();
    void TellCycle(const DependencyEdges& edges, TraceListener& listener) const;
    TraceNodeName NameNode(uint32_t index) const;
    const DependencyList& ListOf(DependencyKind kind) const;

    std::string m_source;
    std::vector<ExecutionNode> m_nodes;
    DependencyList m_data;
    DependencyList m_control;
    std::vector<std::pair<uint32_t, SharedSplits>> m_splits; // by node
    std::vector<std::pair<uint32_t, SimTime>> m_waits;       // by node
    std::map<std::vector<KernelLaunch>, uint32_t> m_kernels; // their numbers, from 1
    StringTable m_names;
    StringTable m_groups;
};

} // namespace nadi
