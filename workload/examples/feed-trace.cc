// SPDX-License-Identifier: GPL-2.0-only
// How another simulator uses Nadi's reader, feeder and writer of Chakra traces.
//
//     feed-trace IN.et OUT.et
//
// It "simulates" a rank that starts every node as soon as its dependencies allow, with no limit of
// resources, each for its recorded duration. It prints when the last node ended, which is the
// critical path, and writes the trace again in the newest schema.
#include "common/error.h"
#include "workload/trace-feeder.h"
#include "workload/trace-writer.h"
#include "workload/trace/trace-file.h"

#include <cstdint>
#include <cstdio>
#include <functional>
#include <queue>
#include <vector>

namespace
{

/// A node that runs, and when it ends.
struct Running
{
    int64_t endPs = 0;
    uint32_t node = 0;

    bool operator>(const Running& other) const
    {
        return endPs > other.endPs;
    }
};

int64_t
FindCriticalPathPs(const nadi::ExecutionGraph& graph)
{
    nadi::TraceFeeder feeder(graph);
    std::priority_queue<Running, std::vector<Running>, std::greater<>> running;
    int64_t nowPs = 0;
    while (!feeder.IsDone())
    {
        while (const std::optional<uint32_t> node = feeder.TakeReady())
        {
            running.push({nowPs + graph.Node(*node).durationPs, *node});
        }
        nowPs = running.top().endPs;
        feeder.Complete(running.top().node);
        running.pop();
    }
    return nowPs;
}

} // namespace

int
main(int argc, char** argv)
{
    if (argc != 3)
    {
        std::fprintf(stderr, "usage: feed-trace IN.et OUT.et\n");
        return 2;
    }
    try
    {
        const nadi::TraceFile trace = nadi::ReadTraceFile(argv[1], nadi::DependencyPolicy::Auto);
        std::printf("%u nodes, critical path %.3f us\n",
                    trace.graph.NodeCount(),
                    static_cast<double>(FindCriticalPathPs(trace.graph)) / 1e6);
        nadi::WriteTrace(trace.graph, argv[2]);
        return 0;
    }
    catch (const nadi::ConfigError& error)
    {
        std::fprintf(stderr, "feed-trace: %s\n", error.what());
        return 3;
    }
}
