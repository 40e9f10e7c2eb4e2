// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/kernel-edits.h"

#include "workload/what-if/graph-rewriter.h"
#include "workload/what-if/kernel-pattern.h"

#include <cmath>
#include <cstdint>
#include <vector>

namespace nadi
{

namespace
{

uint64_t
Divide(uint64_t number, double factor)
{
    return static_cast<uint64_t>(std::llround(static_cast<double>(number) / factor));
}

void
Hasten(NodeCopy& copy, double factor)
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

} // namespace

Workload
ChangeSpeed(Workload job, const std::string& pattern, double factor)
{
    KernelPattern kernels("speed", pattern);
    for (ExecutionGraph& graph : job.graphs)
    {
        const std::vector<bool> fits = kernels.FindIn(graph);
        graph = ChangeNodes(graph,
                            [&](uint32_t node, NodeCopy& copy)
                            {
                                if (fits[node])
                                {
                                    Hasten(copy, factor);
                                }
                            });
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
        graph = ChangeNodesWithout(graph, kernels.FindIn(graph), [](uint32_t, NodeCopy&) {});
    }
    kernels.CheckFit();
    return job;
}

} // namespace nadi
