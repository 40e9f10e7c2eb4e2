// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/graph-parents.h"

namespace nadi
{

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

void
CopyNode(const ExecutionGraph& graph,
         uint32_t source,
         uint64_t id,
         const std::vector<uint64_t>& dependencies,
         ExecutionGraphBuilder& builder)
{
    ExecutionNode node = graph.Node(source);
    const std::vector<KernelLaunch>& kernels = graph.KernelsOf(node);
    node.id = id;
    node.hasSplits = false;                                     // set again with the splits
    node.peer = node.type == NodeType::Compute ? 0 : node.peer; // likewise, of kernels
    builder.AddNode(node, graph.Name(source), dependencies);
    if (const SharedSplits splits = graph.SplitsOf(source))
    {
        builder.SetSplits(splits);
    }
    if (!kernels.empty())
    {
        builder.SetKernels(kernels);
    }
}

} // namespace nadi
