// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/kernel-steps.h"

#include <algorithm>
#include <iterator>

namespace nadi
{

std::vector<KernelStep>
StepsOf(const ExecutionGraph& graph, uint32_t node)
{
    std::vector<KernelStep> steps;
    const std::vector<KernelLaunch>& kernels = graph.KernelsOf(graph.Node(node));
    for (uint32_t index = 0; index < kernels.size(); ++index)
    {
        if (IsProduct(kernels[index]) || IsAttention(kernels[index]))
        {
            steps.push_back({node, index, kernels[index]});
        }
    }
    return steps;
}

std::vector<KernelStep>
WeightsOf(const std::vector<KernelStep>& steps)
{
    std::vector<KernelStep> weights;
    std::ranges::copy_if(steps, std::back_inserter(weights), &KernelStep::HasWeights);
    return weights;
}

KernelMeaning
CoreMeaning(const KernelStep& step, const ShapeSizes& seen)
{
    if (IsAttention(step.kernel))
    {
        return {.m = {SizeKind::Tokens},
                .n = {SizeKind::Heads},
                .k = {SizeKind::HeadSize},
                .batch = {SizeKind::MicroBatch},
                .context = {SizeKind::Sequence}};
    }
    // Each side of a product of the core is as long as the sequence, or as a head is wide. Only the
    // number tells which.
    const auto meaning = [&](uint64_t size)
    { return SizeMeaning{size == seen.headSize ? SizeKind::HeadSize : SizeKind::Sequence}; };
    return {.m = meaning(step.kernel.m),
            .n = meaning(step.kernel.n),
            .k = meaning(step.kernel.k),
            .batch = {SizeKind::BatchedHeads}};
}

} // namespace nadi
