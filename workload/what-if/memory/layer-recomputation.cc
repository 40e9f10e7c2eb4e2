// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/memory/layer-recomputation.h"

namespace nadi
{

namespace
{

// A backward layer does twice the operations of a forward one, and three times if it does the
// forward ones once more.
constexpr double FULL_RECOMPUTATION = 2.9; // operations of a backward layer over a forward one

double
CountProductOperations(const ExecutionGraph& graph, const LayerPass& layer)
{
    double operations = 0;
    for (const uint32_t task : layer.tasks)
    {
        for (const KernelLaunch& kernel : graph.KernelsOf(graph.Node(task)))
        {
            operations += IsProductOfWeights(kernel)
                              ? 2.0 * static_cast<double>(kernel.m) *
                                    static_cast<double>(kernel.n) * static_cast<double>(kernel.k)
                              : 0;
        }
    }
    return operations;
}

/// Of products by weights in all layers that go forward, or backward.
double
CountProductOperations(const ExecutionGraph& graph, const RankStructure& rank, bool isForward)
{
    double operations = 0;
    for (const LayerRunPass& pass : rank.passes)
    {
        for (const LayerPass& layer : pass.layers)
        {
            operations += pass.isForward == isForward ? CountProductOperations(graph, layer) : 0;
        }
    }
    return operations;
}

/// Operations of all backward layers over those of all forward ones. Of products by weights
/// where kernels name them: attention may be computed again by itself, and with long sequences
/// it does most of the operations.
double
FindBackwardShare(const ExecutionGraph& graph, const RankStructure& rank)
{
    if (const double products = CountProductOperations(graph, rank, true); products > 0)
    {
        return CountProductOperations(graph, rank, false) / products;
    }
    double forward = 0;
    double backward = 0;
    for (const LayerKind& kind : rank.kinds)
    {
        (kind.isForward ? forward : backward) +=
            static_cast<double>(kind.operations) * static_cast<double>(kind.passes);
    }
    return forward == 0 ? 0 : backward / forward;
}

} // namespace

bool
IsProductOfWeights(const KernelLaunch& kernel)
{
    return kernel.op == KernelOp::Gemm || kernel.op == KernelOp::GroupedGemm ||
           kernel.op == KernelOp::Router;
}

bool
ComputesLayersAgain(const ExecutionGraph& graph, const RankStructure& rank)
{
    return FindBackwardShare(graph, rank) >= FULL_RECOMPUTATION;
}

} // namespace nadi
