// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/kernel-edits.h"

#include "workload/what-if/graph-rewriter.h"
#include "workload/what-if/kernel-pattern.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <utility>
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

bool
HasTime(const NodeCopy& copy)
{
    return copy.node.durationPs > 0 || copy.node.operations > 0 || copy.node.size > 0 ||
           !copy.kernels.empty();
}

} // namespace

SpeedEdit
ChangeSpeed(Workload job, const std::string& pattern, double factor)
{
    KernelPattern kernels("speed", pattern);
    uint64_t withoutTime = 0;
    for (ExecutionGraph& graph : job.graphs)
    {
        const std::vector<bool> fits = kernels.FindIn(graph);
        graph = ChangeNodes(graph,
                            [&](uint32_t node, NodeCopy& copy)
                            {
                                if (fits[node])
                                {
                                    withoutTime += HasTime(copy) ? 0 : 1;
                                    Hasten(copy, factor);
                                }
                            });
    }
    kernels.CheckFit();
    SpeedEdit edit{.job = std::move(job), .notes = {}};
    edit.notes.push_back(
        fmt::format("Kernels whose names fit \"{}\" are {} times as fast", pattern, factor));
    if (withoutTime > 0)
    {
        edit.notes.push_back(fmt::format("{} kernels whose names fit \"{}\", counted in the graphs "
                                         "that ranks share, have neither a recorded time nor "
                                         "operations or bytes, and stay as they are",
                                         withoutTime,
                                         pattern));
    }
    return edit;
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
