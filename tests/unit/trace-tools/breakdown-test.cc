// SPDX-License-Identifier: GPL-2.0-only
// Where the time of a recorded rank goes.
#include "tests/support/config-error-text.h"
#include "tests/support/trace-edit-bench.h"
#include "workload/execution-graph-builder.h"
#include "workload/tools/analysis/breakdown.h"
#include "workload/tools/analysis/collective-times.h"

#include <catch2/catch.hpp>

#include <numeric>

namespace nadi::test
{

namespace
{

/// A host operator 0 to 1 ms, kernels 1 to 3 and 2 to 4 ms, an all-reduce 3 to 6 ms, and a kernel 7
/// to 8 ms.
struct SmallRecording
{
    ExecutionGraph graph;
    RecordedOrder order;
};

SmallRecording
MakeSmallRecording()
{
    constexpr int64_t psPerMs = 1'000'000'000;
    ExecutionGraphBuilder builder("small");
    const auto add = [&](uint64_t id, int64_t ms, NodeType type, bool isCpu) {
        builder.AddNode({.id = id, .durationPs = ms * psPerMs, .type = type, .isCpu = isCpu},
                        "node");
    };
    add(0, 1, NodeType::Compute, true);
    add(1, 2, NodeType::Compute, false);
    add(2, 2, NodeType::Compute, false);
    add(3, 3, NodeType::Collective, false);
    add(4, 1, NodeType::Compute, false);
    return {builder.Build(), {{0, 1'000'000, 2'000'000, 3'000'000, 7'000'000}, {}}};
}

} // namespace

TEST_CASE("FindBreakdown: four parts add up to the time of the rank", "[unit][trace-tools]")
{
    const SmallRecording small = MakeSmallRecording();
    const TimeBreakdown parts = FindBreakdown(small.graph, small.order);
    CHECK(parts.exposedCompute == (3 - 1 + 8 - 7) * 1'000'000);
    CHECK(parts.overlapped == (4 - 3) * 1'000'000);
    CHECK(parts.exposedCommunication == (6 - 4) * 1'000'000);
    CHECK(parts.other == (1 - 0 + 7 - 6) * 1'000'000);
    CHECK(parts.Total() == 8'000'000);
    CHECK(parts.busy == std::vector<double>{0, 1, 1, 1, 1, 1, 0, 1});
}

TEST_CASE("FindBreakdown: refuses traces without recorded times", "[unit][trace-tools]")
{
    const SmallRecording small = MakeSmallRecording();
    CHECK(ConfigErrorText([&] { FindBreakdown(small.graph, {}); })
              .find("has no recorded starts and durations") != std::string::npos);
}

TEST_CASE("FindBreakdown: refuses starts that no clock has", "[unit][trace-tools]")
{
    SmallRecording late = MakeSmallRecording();
    for (int64_t& start : late.order.startNanos)
    {
        start += 8'000'000'000'000'000'000;
    }
    CHECK(ConfigErrorText([&] { FindBreakdown(late.graph, late.order); })
              .find("less than three hours can be analysed") != std::string::npos);
}

TEST_CASE("FindBreakdown: of a recorded Megatron, exactly", "[unit][trace-tools]")
{
    const TraceJob job =
        ReadTraceJob(SampleFiles(SampleTrace("megatron-tp8/megatron."), 8, ".et.gz"), std::nullopt);
    std::vector<RecordedOrder> orders;
    for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
    {
        const TraceDocument document = job.ReadRank(rank);
        orders.push_back(ReadRecordedOrder(document, job.GraphOf(rank)));
        const TimeBreakdown parts = FindBreakdown(job.GraphOf(rank), orders.back());
        // The sample holds one stream of the accelerator, in the order of its starts.
        const ChakraProtoMsg::Node& last = document.nodes.back();
        CHECK(parts.Total() == last.start_time_micros() * 1000 + last.duration_micros() * 1000 -
                                   document.nodes.front().start_time_micros() * 1000);
        CHECK(parts.exposedCommunication > 200'000'000); // 241 to 495 ms over the ranks
        const double busyNanos =
            1e6 * std::accumulate(parts.busy.begin(), parts.busy.end() - 1, 0.0);
        const auto runs = static_cast<double>(parts.Total() - parts.other);
        CHECK(busyNanos <= runs);
        CHECK(busyNanos >= runs - 1e6);
    }
    const auto times =
        SummariseCollectives(job.workload, orders, SeparateWaits(job.workload, orders));
    REQUIRE(!times.empty());
    CHECK(times.front().type == CollectiveType::AllReduce);
    CHECK(times.front().size == uint64_t{64} << 20);
    CHECK(times.front().calls == 8 * 81);
    CHECK(times.front().besideOthers == 0);
    CHECK(times.front().BusBandwidthGBps() == Approx(196).epsilon(0.01));
}

} // namespace nadi::test
