// SPDX-License-Identifier: GPL-2.0-only
#include "workload/engine/job-check.h"
#include "workload/engine/node-route.h"
#include "workload/tools/inspection/checked-job.h"
#include "workload/tools/inspection/critical-path.h"

#include <limits>

namespace nadi
{

namespace
{

void
CheckDuration(const ExecutionGraph& graph, uint32_t index, FindingList& findings)
{
    const ExecutionNode& node = graph.Node(index);
    const NodeRoute route = FindRoute(node);
    // Communication and memory accesses need no duration: they are timed by their size.
    if (node.durationPs > 0 || node.type != NodeType::Compute)
    {
        return;
    }
    if (IsKernel(route) && node.operations == 0)
    {
        findings.AddNode(Severity::Warning,
                         graph,
                         index,
                         "computes without duration and num_ops, so that it takes no time; write "
                         "duration_micros or num_ops");
    }
    if (route == NodeRoute::Cpu)
    {
        findings.AddNode(Severity::Note,
                         graph,
                         index,
                         "runs on the CPU without duration, so that it takes no time; write "
                         "duration_micros if it takes some");
    }
}

void
CheckClock(const ExecutionGraph& graph, FindingList& findings)
{
    // The simulated clock counts picoseconds in 63 bits.
    constexpr uint64_t mostNanos = std::numeric_limits<int64_t>::max() / 1000;
    // No run of the trace is shorter than its critical path.
    if (FindCriticalPath(graph).nanos > mostNanos)
    {
        findings.AddFile(Severity::Error,
                         graph.Source(),
                         "has nodes that wait for each other and together take longer than the "
                         "simulated clock runs, 106 days; write shorter durations");
    }
}

} // namespace

void
CheckEachNode(const Workload& workload, FindingList& findings)
{
    for (const ExecutionGraph& graph : workload.graphs)
    {
        CheckNodes(workload, graph, findings);
        for (uint32_t node = 0; node < graph.NodeCount(); ++node)
        {
            CheckDuration(graph, node, findings);
        }
        CheckClock(graph, findings);
    }
}

} // namespace nadi
