// SPDX-License-Identifier: GPL-2.0-only
// Distributions, critical paths of recordings, and exchanges of experts.
#include "workload/execution-graph-builder.h"
#include "workload/tools/analysis/distributions.h"
#include "workload/tools/analysis/expert-exchanges.h"
#include "workload/tools/analysis/recorded-path.h"

#include <catch2/catch.hpp>

namespace nadi::test
{

TEST_CASE("MakeDistribution: places of sorted values", "[unit][trace-tools]")
{
    std::vector<uint64_t> values;
    for (uint64_t value = 101; value > 0; --value)
    {
        values.push_back(value * 2);
    }
    const Distribution spread = MakeDistribution(values);
    CHECK(spread.count == 101);
    CHECK(spread.least == 2);
    CHECK(spread.tenth == 2 * 11);
    CHECK(spread.median == 2 * 51);
    CHECK(spread.ninetieth == 2 * 91);
    CHECK(spread.most == 2 * 101);
    CHECK(spread.sum == 101 * 102);
    CHECK(MakeDistribution({}).hundredths.empty());
}

TEST_CASE("FindRecordedPath: what shortening a kind saves ends where another way is longer",
          "[unit][trace-tools]")
{
    constexpr int64_t psPerUs = 1'000'000;
    ExecutionGraphBuilder builder("path");
    const auto add = [&](uint64_t id, const char* name, int64_t us, NodeType type)
    { builder.AddNode({.id = id, .durationPs = us * psPerUs, .type = type}, name); };
    // A product of 10 us, then a norm of 4 us on the same stream; an all-reduce after the product,
    // which was recorded for 20 us, of which 6 us are its transfer.
    add(0, "gemm", 10, NodeType::Compute);
    add(1, "layer_norm", 4, NodeType::Compute);
    add(2, "sum", 20, NodeType::Collective);
    builder.AddDependencies(DependencyKind::Data, std::vector<uint64_t>{0});
    const ExecutionGraph graph = builder.Build();
    const RecordedOrder order{{0, 10'000, 10'000}, {}};
    const RecordedPath path =
        FindRecordedPath(graph, order, {{.node = 2, .call = 0, .transferNanos = 6000}});
    CHECK(path.nanos == 16'000);
    REQUIRE(path.shares.size() == 2);
    CHECK(path.shares[0].kind == "gemm");
    CHECK(path.shares[0].nanos == 10'000);
    CHECK(path.shares[0].saving == 5000);
    CHECK(path.shares[1].kind == "all-reduce");
    CHECK(path.shares[1].nanos == 6000);
    // Then the norm is the longer way: 14 us.
    CHECK(path.shares[1].saving == 2000);
}

TEST_CASE("FindRecordedPath: messages take their time without their wait, where it is known",
          "[unit][trace-tools]")
{
    constexpr int64_t psPerUs = 1'000'000;
    ExecutionGraphBuilder builder("messages");
    builder.AddNode({.id = 0, .durationPs = 50 * psPerUs, .type = NodeType::Receive}, "told");
    builder.SetWait(SimTime::FromUs(38));
    builder.AddNode({.id = 1, .durationPs = 7 * psPerUs, .type = NodeType::Compute}, "gemm", {0});
    builder.AddNode({.id = 2, .durationPs = 5 * psPerUs, .type = NodeType::Receive}, "untold", {1});
    const RecordedOrder order{{0, 50'000, 57'000}, {}};
    const RecordedPath path = FindRecordedPath(builder.Build(), order, {});
    CHECK(path.nanos == (50 - 38) * 1000 + 7'000 + 5'000);
    REQUIRE(path.shares.size() == 2);
    CHECK(path.shares[0].kind == "message");
    CHECK(path.shares[0].nanos == (50 - 38) * 1000 + 5'000);
}

TEST_CASE("FindRecordedPath: operators of a thread follow each other, whatever runs within them",
          "[unit][trace-tools]")
{
    constexpr int64_t psPerUs = 1'000'000;
    ExecutionGraphBuilder builder("nested");
    RecordedOrder order;
    // Ten operators of 100 us, and in the middle of each another one of 10 us.
    for (uint64_t each = 0; each < 10; ++each)
    {
        builder.AddNode({.id = 2 * each, .durationPs = 100 * psPerUs, .isCpu = true}, "outer");
        builder.AddNode({.id = 2 * each + 1, .durationPs = 10 * psPerUs, .isCpu = true}, "inner");
        order.startNanos.push_back(static_cast<int64_t>(each) * 100'000);
        order.startNanos.push_back(order.startNanos.back() + 50'000);
    }
    const RecordedPath path = FindRecordedPath(builder.Build(), order, {});
    CHECK(path.nanos == 10 * 100'000);
    REQUIRE(path.shares.size() == 1);
    CHECK(path.shares[0].kind == "host");
    CHECK(path.shares[0].saving == path.nanos / 2);
}

TEST_CASE("FindRecordedPath: of what had ended on a thread, the longest way counts",
          "[unit][trace-tools]")
{
    constexpr int64_t psPerUs = 1'000'000;
    ExecutionGraphBuilder builder("longest");
    // A kernel of 30 us, and behind it an operator of 5 us, within one that began with the kernel
    // and ends last; then another operator.
    builder.AddNode({.id = 0, .durationPs = 30 * psPerUs, .type = NodeType::Compute}, "kernel");
    builder.AddNode({.id = 1, .durationPs = 20 * psPerUs, .isCpu = true}, "outer");
    builder.AddNode({.id = 2, .durationPs = 5 * psPerUs, .isCpu = true}, "inner", {0});
    builder.AddNode({.id = 3, .durationPs = 7 * psPerUs, .isCpu = true}, "next");
    const RecordedOrder order{{0, 25'000, 30'000, 45'000}, {}};
    // The longest way to the end of "outer", which ends last, has 20 us, and that to "inner" 35.
    CHECK(FindRecordedPath(builder.Build(), order, {}).nanos == 30'000 + 5'000 + 7'000);
}

TEST_CASE("ComputeGini: equal parts, one part of all, and a ramp", "[unit][trace-tools]")
{
    CHECK(ComputeGini({}) == 0);
    CHECK(ComputeGini({0, 0}) == 0);
    CHECK(ComputeGini({5, 5, 5, 5}) == Approx(0).margin(1e-12));
    CHECK(ComputeGini({0, 0, 0, 8}) == Approx(3.0 / 4));
    // The mean absolute difference of 1, 2, 3 over all nine pairs is 8/9; twice the mean is 4.
    CHECK(ComputeGini({3, 1, 2}) == Approx(8.0 / 9 / 4));
}

TEST_CASE("FindExpertExchanges: what each member was sent, over the ranks", "[unit][trace-tools]")
{
    Workload workload;
    workload.communicators.push_back({CommunicatorId{0}, {RankId{0}, RankId{1}}});
    for (uint32_t rank = 0; rank < 2; ++rank)
    {
        ExecutionGraphBuilder builder("exchange");
        builder.AddNode({.id = 1,
                         .size = 10,
                         .type = NodeType::Collective,
                         .collective = CollectiveType::AllToAll},
                        "layer 3 dispatch");
        builder.SetSplits(std::make_shared<ExchangeSplits>(
            ExchangeSplits{rank == 0 ? std::vector<uint64_t>{1, 9} : std::vector<uint64_t>{3, 7}}));
        workload.graphs.push_back(builder.Build());
        workload.graphOfRank.push_back(rank);
        workload.communicatorOfGroup.push_back({CommunicatorId{0}});
    }
    std::vector<ExpertExchange> exchanges = FindExpertExchanges(workload);
    REQUIRE(exchanges.size() == 1);
    JobStructure structure;
    structure.ranks.resize(2);
    PlaceExchanges(structure, exchanges); // without layers the name tells
    CHECK(exchanges[0].layer == 3);
    CHECK_FALSE(exchanges[0].isForward.has_value());
    structure.layers = 8;
    structure.ranks[0].passes = {{.isForward = false,
                                  .before = {},
                                  .layers = {{.layer = 7, .tasks = {}, .extra = {0}}},
                                  .after = {}}};
    PlaceExchanges(structure, exchanges);
    CHECK(exchanges[0].layer == 7);
    CHECK(exchanges[0].isForward == false);
    CHECK(exchanges[0].received == std::vector<uint64_t>{4, 16});
    // |4 - 16| twice among four pairs is 6 in the mean; twice the mean is 20.
    CHECK(exchanges[0].gini == Approx(6.0 / 20));
}

} // namespace nadi::test
