// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/fitting/kernel-samples.h"

#include "workload/tools/fitting/kernel-kind.h"

#include <cmath>

namespace nadi
{

void
KernelSamples::AddRank(const ExecutionGraph& graph)
{
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        const ExecutionNode& node = graph.Node(index);
        if (node.type == NodeType::Compute && !node.isCpu && node.durationPs > 0)
        {
            AddKernel(graph, index);
        }
    }
}

void
KernelSamples::AddKernel(const ExecutionGraph& graph, uint32_t index)
{
    const ExecutionNode& node = graph.Node(index);
    const auto nanos = static_cast<double>(node.durationPs) / 1000;
    const std::optional<KernelWork> work = FindKernelWork(graph, index);
    if (!work)
    {
        // They are counted for a note, as no model covers them.
        UnsizedKernels& unsized = m_unsized[FindKernelKind(graph.Name(index))];
        ++unsized.count;
        unsized.nanos += static_cast<uint64_t>(nanos);
        return;
    }
    const std::string sizes = ToText(graph.KernelsOf(node));
    // Kernels of equal work may differ in their sizes, and then in their durations.
    ShapeSample& shape = m_shapes[{*work, sizes}];
    if (shape.count == 0)
    {
        shape.work = *work;
        shape.sizes = sizes.empty() ? std::string(graph.Name(index)) : sizes;
    }
    ++shape.count;
    // Models are fitted to log time (FitRoofline), so the logarithms are averaged.
    shape.logNanos += std::log(nanos);
    shape.totalNanos += static_cast<uint64_t>(nanos);
}

std::vector<ShapeSample>
KernelSamples::Shapes() const
{
    std::vector<ShapeSample> shapes;
    for (const auto& [key, sum] : m_shapes)
    {
        shapes.push_back(sum);
        shapes.back().logNanos /= static_cast<double>(sum.count);
    }
    return shapes;
}

} // namespace nadi
