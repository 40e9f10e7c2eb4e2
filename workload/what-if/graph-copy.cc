// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/graph-copy.h"

#include "workload/tools/structure/task-order.h"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>

namespace nadi
{

void
NodeCopy::ScaleWith(const ParameterShare& share)
{
    // Traces have whole nanoseconds, and so has what is made of them.
    constexpr int64_t NS = 1000;
    node.operations = share.Of(node.operations);
    node.size = share.Of(node.size);
    node.durationPs =
        static_cast<int64_t>(share.Of(static_cast<uint64_t>(node.durationPs / NS))) * NS;
    // CountOptimizerNumbers counts what kernels of an optimizer update by their m.
    for (KernelLaunch& kernel : kernels)
    {
        kernel.m = share.Of(kernel.m);
        kernel.bytes = share.Of(kernel.bytes);
        kernel.operations = share.Of(kernel.operations);
    }
}

NodeCopy
CopyNode(const ExecutionGraph& graph, uint32_t node)
{
    NodeCopy copy{.node = graph.Node(node),
                  .name = std::string(graph.Name(node)),
                  .splits = graph.SplitsOf(node),
                  .kernels = graph.KernelsOf(graph.Node(node)),
                  .wait = graph.WaitOf(node)};
    // The builder sets them again, with the splits and the kernels.
    copy.node.hasSplits = false;
    copy.node.peer = copy.node.type == NodeType::Compute ? 0 : copy.node.peer;
    return copy;
}

void
AddCopy(NodeCopy copy, std::span<const uint64_t> dependencies, ExecutionGraphBuilder& builder)
{
    builder.AddNode(copy.node, copy.name, dependencies);
    if (copy.wait)
    {
        builder.SetWait(*copy.wait);
    }
    if (copy.splits)
    {
        builder.SetSplits(std::move(copy.splits));
    }
    if (!copy.kernels.empty())
    {
        builder.SetKernels(std::move(copy.kernels));
    }
}

void
AddGroups(const ExecutionGraph& graph, ExecutionGraphBuilder& builder)
{
    for (size_t group = 1; group < graph.GroupNames().size(); ++group)
    {
        builder.AddGroup(graph.GroupNames()[group]);
    }
}

std::vector<bool>
FindCalledGroups(const ExecutionGraph& graph)
{
    std::vector<bool> isCalled(graph.GroupNames().size(), false);
    for (const ExecutionNode& node : graph.Nodes())
    {
        if (node.type == NodeType::Collective)
        {
            isCalled[node.group] = true;
        }
    }
    return isCalled;
}

std::string
FreeGroupName(const ExecutionGraph& graph, std::string name)
{
    // Groups of a graph are told apart by their names (ExecutionGraphBuilder::AddGroup).
    while (std::ranges::find(graph.GroupNames(), name) != graph.GroupNames().end())
    {
        name += "+";
    }
    return name;
}

std::vector<uint64_t>
SizesOf(const ExecutionGraph& graph, const std::vector<uint32_t>& nodes)
{
    std::vector<uint64_t> sizes;
    std::ranges::transform(nodes,
                           std::back_inserter(sizes),
                           [&graph](uint32_t node) { return graph.Node(node).size; });
    return sizes;
}

std::vector<std::vector<uint32_t>>
FindParents(const ExecutionGraph& graph)
{
    std::vector<std::vector<uint32_t>> parents(graph.NodeCount());
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        for (const uint32_t child : graph.Children(node))
        {
            parents[child].push_back(node);
        }
    }
    return parents;
}

bool
IsChain(const std::vector<uint32_t>& nodes, const std::vector<std::vector<uint32_t>>& parents)
{
    for (size_t each = 1; each < nodes.size(); ++each)
    {
        if (std::ranges::count(parents[nodes[each]], nodes[each - 1]) == 0)
        {
            return false;
        }
    }
    return true;
}

/// The weights of an embedding may be worked on before the last sum. Gathers of what the optimizer
/// made follow it, and what all ranks then tell each other. Norms of gradients, which are worked
/// out behind the sums and summed themselves, are of it.
std::vector<bool>
FindOptimizerKernels(const ExecutionGraph& graph, const RankStructure& rank)
{
    std::vector<bool> isOptimizer(graph.NodeCount(), false);
    bool hasKernel = false;
    // The search goes backwards, as kernels behind the last sum are the optimizer's. A sum without
    // a kernel behind it does not end the search, as it is of what all ranks tell each other
    // afterwards.
    for (const uint32_t node : std::views::reverse(rank.optimizer))
    {
        const bool isSum = IsCollectiveTask(graph.Node(node)) &&
                           graph.Node(node).collective != CollectiveType::AllGather &&
                           !IsOfFewNumbers(graph.Node(node));
        if (isSum && hasKernel)
        {
            break;
        }
        isOptimizer[node] = graph.Node(node).type == NodeType::Compute;
        hasKernel = hasKernel || isOptimizer[node];
    }
    return isOptimizer;
}

} // namespace nadi
