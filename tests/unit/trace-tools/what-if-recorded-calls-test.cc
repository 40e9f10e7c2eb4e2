// SPDX-License-Identifier: GPL-2.0-only
// What-if: recorded times of calls that are of other sizes, or among other numbers of ranks.
#include "tests/support/what-if-bench.h"
#include "workload/tools/structure/task-order.h"
#include "workload/what-if/graph-rewriter.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace nadi::test
{

namespace
{

/// With a recorded time of each collective and message.
Workload
WithCallTimes(Workload job)
{
    for (ExecutionGraph& graph : job.graphs)
    {
        graph = ChangeNodes(graph,
                            [](uint32_t, NodeCopy& copy)
                            {
                                const bool isCall = copy.node.type != NodeType::Compute;
                                copy.node.durationPs = isCall ? 7'000'000 : copy.node.durationPs;
                            });
    }
    return job;
}

ExecutionGraph
WithWaits(const ExecutionGraph& graph)
{
    return ChangeNodes(graph,
                       [](uint32_t, NodeCopy& copy)
                       {
                           if (copy.node.type != NodeType::Compute)
                           {
                               copy.wait = SimTime::FromNs(2000);
                           }
                       });
}

struct CallCount
{
    uint32_t withTime = 0;
    uint32_t withoutTime = 0;
};

CallCount
CountCalls(const Workload& job)
{
    CallCount count;
    for (const ExecutionNode& node : job.GraphOf(RankId{0}).Nodes())
    {
        if (node.type != NodeType::Compute)
        {
            ++(node.durationPs == 7'000'000 ? count.withTime : count.withoutTime);
            CHECK((node.durationPs == 0 || node.durationPs == 7'000'000));
        }
    }
    return count;
}

/// After an edit of a recorded job.
CallCount
CountAfter(ModelValues values, const ModelValues& to)
{
    values.merge(ModelValues{{"layers", "4"}, {"bucket", "0 B"}});
    const Workload job = WithCallTimes(GenerateHalf({std::move(values), {}, {}}, {}));
    REQUIRE(CountCalls(job).withoutTime == 0);
    return CountCalls(MakeWhatIf(job, to));
}

} // namespace

TEST_CASE("What-if: a call that is of another form loses its wait with its time",
          "[unit][trace-tools][what-if]")
{
    const ModelValues copies{{"dp", "2"}, {"batch", "4"}, {"layers", "4"}, {"bucket", "0 B"}};
    Workload job = WithCallTimes(GenerateHalf({copies, {}, {}}, {}));
    for (ExecutionGraph& graph : job.graphs)
    {
        graph = WithWaits(graph);
    }
    const auto countWaits = [](const Workload& made)
    {
        const ExecutionGraph& graph = made.GraphOf(RankId{0});
        uint32_t waits = 0;
        for (uint32_t node = 0; node < graph.NodeCount(); ++node)
        {
            const bool isTimed =
                graph.Node(node).type == NodeType::Collective && graph.Node(node).durationPs > 0;
            CHECK(graph.WaitOf(node).has_value() == isTimed);
            waits += isTimed ? 1 : 0;
        }
        return waits;
    };
    const uint32_t recorded = countWaits(job);
    REQUIRE(recorded > 0);
    CHECK(countWaits(MakeWhatIf(job, {{"layers", "8"}})) > recorded);
    CHECK(countWaits(MakeWhatIf(job, {{"dp", "4"}})) == 0);
}

TEST_CASE("What-if: messages keep their waits with their times", "[unit][trace-tools][what-if]")
{
    const ModelValues stages{{"pp", "2"}, {"batch", "4"}, {"layers", "4"}};
    Workload job = WithCallTimes(GenerateHalf({stages, {}, {}}, {}));
    for (ExecutionGraph& graph : job.graphs)
    {
        graph = WithWaits(graph);
    }
    const Workload made = MakeWhatIf(job, {{"layers", "8"}});
    uint32_t messages = 0;
    for (const ExecutionGraph& graph : made.graphs)
    {
        for (uint32_t node = 0; node < graph.NodeCount(); ++node)
        {
            if (IsMessageTask(graph.Node(node)))
            {
                CHECK(graph.WaitOf(node) == SimTime::FromNs(2000));
                ++messages;
            }
        }
    }
    // Four micro-batches, forward and backward, each with a send and a receive.
    CHECK(messages == 4 * 2 * 2);
}

TEST_CASE("What-if: calls keep their recorded times where such calls were recorded",
          "[unit][trace-tools][what-if]")
{
    const ModelValues copies{{"dp", "2"}, {"batch", "4"}};
    const CallCount layers = CountAfter(copies, {{"layers", "8"}});
    CHECK(layers.withTime > 8);
    CHECK(layers.withoutTime == 0);
    // More copies sum the same bytes among more ranks.
    const CallCount more = CountAfter(copies, {{"dp", "4"}});
    CHECK(more.withTime == 0);
    CHECK(more.withoutTime > 4);
    // Messages between stages are as long; sums are of the same copies.
    const ModelValues stages{{"dp", "2"}, {"pp", "2"}, {"batch", "8"}};
    CHECK(CountAfter(stages, {{"micro-batches", "8"}}).withoutTime == 0);
    const CallCount longer = CountAfter(stages, {{"sequence", "128"}});
    CHECK(longer.withTime >= 2);    // gradients of layers
    CHECK(longer.withoutTime >= 8); // activations of four micro-batches
}

} // namespace nadi::test
