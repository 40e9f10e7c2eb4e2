// SPDX-License-Identifier: GPL-2.0-only
// What-if: the edited job is the one that the generator makes, though the edits see only its
// graphs.
#include "tests/support/config-error-text.h"
#include "tests/support/trace-edit-bench.h"
#include "tests/support/what-if-bench.h"
#include "workload/execution-graph-builder.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/what-if/graph-copy.h"
#include "workload/what-if/layer-edit.h"
#include "workload/what-if/what-if-settings.h"
#include "workload/what-if/what-if.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace nadi::test
{

namespace
{

/// Values that both have, and those of layers before and after.
WhatIfPair
LayersOf(ModelValues values, uint32_t from, uint32_t to)
{
    return {
        std::move(values), {{"layers", std::to_string(from)}}, {{"layers", std::to_string(to)}}};
}

/// Copies before and after; the batch grows with them.
WhatIfPair
CopiesOf(ModelValues values, uint32_t from, uint32_t to, uint32_t batchOfCopy)
{
    const auto copies = [&](uint32_t dp) {
        return ModelValues{{"dp", std::to_string(dp)}, {"batch", std::to_string(dp * batchOfCopy)}};
    };
    return {std::move(values), copies(from), copies(to)};
}

const std::vector<WhatIfPair>&
LayerPairs()
{
    const ModelValues dp{{"dp", "2"}, {"batch", "2"}};
    static const std::vector<WhatIfPair> pairs{
        LayersOf(dp, 4, 2),
        LayersOf(dp, 4, 3),
        LayersOf(dp, 3, 4),
        LayersOf(dp, 2, 7),
        LayersOf({{"dp", "2"}, {"batch", "8"}}, 4, 12),
        LayersOf({{"tp", "2"}, {"dp", "2"}, {"batch", "4"}}, 4, 6),
        LayersOf({{"tp", "4"}, {"sp", "on"}, {"dp", "2"}, {"batch", "4"}}, 6, 4),
        LayersOf({{"tp", "2"}, {"pp", "2"}, {"dp", "2"}, {"batch", "8"}}, 4, 8),
        LayersOf({{"tp", "2"}, {"pp", "2"}, {"dp", "2"}, {"batch", "8"}}, 8, 4),
        LayersOf({{"pp", "4"}, {"dp", "2"}, {"batch", "8"}, {"schedule", "gpipe"}}, 8, 16),
        LayersOf({{"pp", "2"},
                  {"dp", "2"},
                  {"batch", "8"},
                  {"schedule", "interleaved"},
                  {"chunks", "2"}},
                 8,
                 12),
        LayersOf({{"tp", "2"}, {"dp", "2"}, {"batch", "4"}, {"recompute", "full"}}, 4, 7),
        LayersOf({{"tp", "2"}, {"dp", "2"}, {"batch", "4"}, {"recompute", "selective"}}, 6, 3),
    };
    return pairs;
}

const std::vector<WhatIfPair>&
CopyPairs()
{
    static const std::vector<WhatIfPair> pairs{
        CopiesOf({{"layers", "3"}}, 2, 4, 1),
        CopiesOf({{"layers", "3"}}, 4, 2, 2),
        CopiesOf({{"layers", "4"}, {"tp", "2"}}, 2, 6, 2),
        CopiesOf({{"layers", "4"}, {"tp", "4"}, {"sp", "on"}}, 4, 2, 1),
        CopiesOf({{"layers", "4"}, {"tp", "2"}, {"pp", "2"}}, 2, 4, 4),
        CopiesOf({{"layers", "8"}, {"pp", "4"}, {"schedule", "gpipe"}}, 3, 5, 4),
        CopiesOf(
            {{"layers", "8"}, {"pp", "2"}, {"schedule", "interleaved"}, {"chunks", "2"}}, 2, 8, 4),
    };
    return pairs;
}

/// Micro-batches of each of two copies, and the schedule, before and after.
WhatIfPair
PassesOf(ModelValues values,
         const std::pair<uint32_t, uint32_t>& microBatches,
         const std::pair<std::string, std::string>& schedules)
{
    values["dp"] = "2";
    const auto half = [](uint32_t count, const std::string& schedule)
    {
        return ModelValues{{"batch", std::to_string(2 * count)},
                           {"micro-batches", std::to_string(count)},
                           {"schedule", schedule}};
    };
    return {std::move(values),
            half(microBatches.first, schedules.first),
            half(microBatches.second, schedules.second)};
}

const std::vector<WhatIfPair>&
PassPairs()
{
    static const std::vector<WhatIfPair> pairs{
        PassesOf({{"layers", "3"}}, {3, 5}, {"1f1b", "1f1b"}),
        PassesOf({{"layers", "3"}, {"tp", "2"}}, {6, 3}, {"1f1b", "1f1b"}),
        PassesOf({{"layers", "4"}, {"pp", "2"}}, {4, 8}, {"1f1b", "1f1b"}),
        PassesOf({{"layers", "4"}, {"pp", "2"}}, {4, 4}, {"1f1b", "gpipe"}),
        PassesOf({{"layers", "8"}, {"pp", "4"}, {"tp", "2"}}, {4, 12}, {"gpipe", "1f1b"}),
        PassesOf({{"layers", "8"}, {"pp", "4"}}, {8, 5}, {"1f1b", "gpipe"}),
        PassesOf({{"layers", "8"}, {"pp", "2"}, {"chunks", "2"}},
                 {4, 8},
                 {"interleaved", "interleaved"}),
    };
    return pairs;
}

/// Stages before and after, of two copies of so many layers.
WhatIfPair
StagesOf(ModelValues values, uint32_t layers, uint32_t from, uint32_t to)
{
    values.merge(ModelValues{{"layers", std::to_string(layers)}, {"dp", "2"}, {"batch", "16"}});
    return {std::move(values), {{"pp", std::to_string(from)}}, {{"pp", std::to_string(to)}}};
}

const std::vector<WhatIfPair>&
StagePairs()
{
    static const std::vector<WhatIfPair> pairs{
        StagesOf({}, 8, 4, 2),
        StagesOf({}, 8, 2, 4),
        StagesOf({{"tp", "2"}}, 12, 2, 3),
        StagesOf({{"tp", "4"}, {"sp", "on"}}, 12, 3, 6),
        StagesOf({{"schedule", "gpipe"}}, 8, 2, 4),
        StagesOf({{"schedule", "gpipe"}, {"tp", "2"}, {"recompute", "full"}}, 16, 8, 2),
        StagesOf({{"schedule", "interleaved"}, {"chunks", "2"}}, 16, 2, 4),
        StagesOf({{"tied-embeddings", "off"}}, 12, 2, 6),
    };
    return pairs;
}

/// Shards of parameters, gradients and optimizers among the copies.
const std::vector<WhatIfPair>&
ShardPairs()
{
    const auto zero = [](const std::string& stage, ModelValues values)
    {
        values["zero"] = stage;
        return values;
    };
    const ModelValues two{{"dp", "2"}, {"batch", "4"}};
    const ModelValues three{{"layers", "3"}};
    static const std::vector<WhatIfPair> pairs{
        CopiesOf(zero("1", three), 2, 4, 1),
        CopiesOf(zero("2", {{"layers", "4"}, {"tp", "2"}}), 4, 2, 2),
        CopiesOf(zero("3", three), 2, 4, 2),
        CopiesOf(zero("1", {{"layers", "4"}, {"pp", "2"}}), 2, 4, 2),
        LayersOf(zero("1", two), 4, 6),
        LayersOf(zero("2", two), 3, 5),
        LayersOf(zero("2",
                      {{"dp", "2"},
                       {"pp", "2"},
                       {"batch", "8"},
                       {"schedule", "interleaved"},
                       {"chunks", "2"}}),
                 16,
                 8),
        LayersOf(zero("3", two), 6, 4),
        LayersOf(zero("3", two), 3, 7),
        LayersOf(zero("1", {{"dp", "2"}, {"pp", "2"}, {"batch", "8"}}), 8, 4),
        PassesOf(zero("1", three), {3, 5}, {"1f1b", "1f1b"}),
        PassesOf(zero("2", {{"layers", "4"}, {"pp", "2"}}), {4, 6}, {"gpipe", "1f1b"}),
        PassesOf(zero("3", three), {4, 3}, {"1f1b", "1f1b"}),
        StagesOf(zero("1", {}), 12, 4, 6),
    };
    return pairs;
}

/// Several of them at once.
const std::vector<WhatIfPair>&
MixedPairs()
{
    const auto mixed = [](WhatIfPair copies, uint32_t from, uint32_t to)
    {
        copies.from["layers"] = std::to_string(from);
        copies.to["layers"] = std::to_string(to);
        return copies;
    };
    static const std::vector<WhatIfPair> pairs{
        mixed(CopiesOf({}, 2, 4, 2), 3, 6),
        mixed(CopiesOf({{"tp", "2"}, {"pp", "2"}}, 4, 2, 4), 4, 8),
        mixed(CopiesOf({{"tp", "2"}, {"pp", "2"}}, 2, 3, 4), 8, 4),
        WhatIfPair{{{"tp", "2"}, {"pp", "2"}},
                   {{"layers", "4"},
                    {"dp", "2"},
                    {"batch", "8"},
                    {"micro-batches", "4"},
                    {"schedule", "1f1b"}},
                   {{"layers", "8"},
                    {"dp", "4"},
                    {"batch", "24"},
                    {"micro-batches", "6"},
                    {"schedule", "gpipe"}}},
        WhatIfPair{{{"tp", "2"}},
                   {{"pp", "2"}, {"layers", "4"}, {"dp", "2"}, {"batch", "8"}},
                   {{"pp", "4"}, {"layers", "12"}, {"dp", "3"}, {"batch", "12"}}},
        WhatIfPair{{{"dp", "2"}},
                   {{"pp", "4"},
                    {"layers", "8"},
                    {"batch", "16"},
                    {"micro-batches", "8"},
                    {"schedule", "gpipe"}},
                   {{"pp", "2"},
                    {"layers", "4"},
                    {"batch", "8"},
                    {"micro-batches", "4"},
                    {"schedule", "1f1b"}}},
    };
    return pairs;
}

/// As for the loss that is printed.
ExecutionGraph
WithSumOfAll(const ExecutionGraph& graph, uint64_t bytes = 4)
{
    ExecutionGraphBuilder builder(graph.Source());
    AddGroups(graph, builder);
    const std::vector<std::vector<uint32_t>> parents = FindParents(graph);
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        std::vector<uint64_t> after;
        for (const uint32_t parent : parents[node])
        {
            after.push_back(graph.Node(parent).id);
        }
        AddCopy(CopyNode(graph, node), after, builder);
    }
    const uint64_t last = graph.Node(graph.NodeCount() - 1).id;
    builder.AddNode({.id = last + 1,
                     .size = bytes,
                     .type = NodeType::Collective,
                     .collective = CollectiveType::AllReduce},
                    "loss",
                    {last});
    return builder.Build();
}

/// Recorded times of a job, in all: of the kernels of each rank, and of the transfers of its calls,
/// each of which takes what its last member took.
struct RecordedTimes
{
    std::vector<int64_t> computePs;
    int64_t transferPs = 0;
};

RecordedTimes
SumRecorded(const Workload& job)
{
    RecordedTimes times;
    std::vector<int64_t> transfers;
    for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
    {
        times.computePs.push_back(0);
        size_t call = 0;
        for (const ExecutionNode& node : job.GraphOf(RankId{rank}).Nodes())
        {
            if (node.type != NodeType::Collective)
            {
                times.computePs.back() += node.durationPs;
                continue;
            }
            transfers.resize(std::max(transfers.size(), call + 1), INT64_MAX);
            transfers[call] = std::min(transfers[call], node.durationPs);
            ++call;
        }
    }
    times.transferPs = std::accumulate(transfers.begin(), transfers.end(), int64_t{0});
    return times;
}

double
ShareOff(int64_t made, int64_t recorded)
{
    return std::abs(static_cast<double>(made) / static_cast<double>(recorded) - 1);
}

Workload
WithLayers(const Workload& job, uint32_t layers)
{
    return ChangeLayers(job, FindStructure(job, {}, {}), layers).job;
}

} // namespace

TEST_CASE("What-if: a recorded Megatron without half of its layers, which are put back",
          "[unit][trace-tools]")
{
    const Workload recorded =
        ReadTraceJob(SampleFiles(SampleTrace("megatron-tp8/megatron."), 8, ".et.gz"), std::nullopt)
            .workload;
    const Workload half = WithLayers(recorded, 20);
    CHECK(half.GraphOf(RankId{0}).NodeCount() == 28 + 20 * 18 + 29);
    const Workload made = WithLayers(half, 40);
    const RecordedTimes before = SumRecorded(recorded);
    const RecordedTimes after = SumRecorded(made);
    for (uint32_t rank = 0; rank < 8; ++rank)
    {
        CAPTURE(rank);
        CHECK(made.GraphOf(RankId{rank}).NodeCount() == recorded.GraphOf(RankId{rank}).NodeCount());
        CHECK(ShareOff(after.computePs[rank], before.computePs[rank]) < 0.01);
    }
    CHECK(ShareOff(after.transferPs, before.transferPs) < 0.02);
}

TEST_CASE("What-if: other layers are those that the generator makes, and lead back",
          "[unit][trace-tools]")
{
    CheckPairs(LayerPairs());
}

TEST_CASE("What-if: other copies are those that the generator makes, and lead back",
          "[unit][trace-tools]")
{
    CheckPairs(CopyPairs());
}

TEST_CASE("What-if: other micro-batches and schedules are those that the generator makes",
          "[unit][trace-tools]")
{
    CheckPairs(PassPairs());
}

TEST_CASE("What-if: other stages are those that the generator makes, and lead back",
          "[unit][trace-tools]")
{
    CheckPairs(StagePairs());
}

TEST_CASE("What-if: shards of copies (ZeRO) are cut as the generator cuts them",
          "[unit][trace-tools]")
{
    CheckPairs(ShardPairs());
}

TEST_CASE("What-if: layers, passes and copies together", "[unit][trace-tools]")
{
    CheckPairs(MixedPairs());
}

TEST_CASE("What-if: what all ranks sum at the end, those of new stages and copies sum too",
          "[unit][trace-tools]")
{
    const WhatIfPair pair = StagesOf({}, 8, 2, 4);
    Workload job = GenerateHalf(pair, pair.from);
    for (ExecutionGraph& graph : job.graphs)
    {
        graph = WithSumOfAll(graph);
    }
    const Workload made =
        ApplyWhatIf(job, FindStructure(job, {}, {}), ParseWhatIf({"pp=4", "dp=4"})).job;
    const WhatIfPair wanted = StagesOf({{"dp", "4"}, {"batch", "32"}}, 8, 2, 4);
    Workload expected = GenerateHalf(wanted, wanted.to);
    for (ExecutionGraph& graph : expected.graphs)
    {
        graph = WithSumOfAll(graph);
    }
    CheckSameJob(made, expected);
}

TEST_CASE("What-if: sums of all ranks of up to 16 bytes are few numbers to edits of sizes, too",
          "[unit][trace-tools]")
{
    const WhatIfPair pair = SizeOf({}, "hidden", "64", "128");
    const auto refusalOf = [&pair](uint64_t bytes)
    {
        Workload job = GenerateHalf(pair, pair.from);
        for (ExecutionGraph& graph : job.graphs)
        {
            graph = WithSumOfAll(graph, bytes);
        }
        return ConfigErrorText([&] { MakeWhatIf(job, pair.to); });
    };
    CHECK(refusalOf(16).empty());
    // They are taken for sums of gradients, as by what finds the structure.
    CHECK(refusalOf(17).ends_with("(\"loss\") sums gradients of which no product is known"));
}

TEST_CASE("What-if: the order of settings changes nothing", "[unit][trace-tools]")
{
    const WhatIf one = ParseWhatIf({"layers=6", "dp=4"});
    const WhatIf other = ParseWhatIf({"dp=4", "layers=6"});
    CHECK(one.layers == other.layers);
    CHECK(one.copies == other.copies);
}

TEST_CASE("What-if: faster kernels without any time are counted", "[unit][trace-tools]")
{
    ExecutionGraphBuilder builder("timeless");
    builder.AddNode({.id = 1, .durationPs = 4000, .type = NodeType::Compute}, "timed");
    builder.AddNode({.id = 2, .type = NodeType::Compute}, "timeless", {1});
    Workload job;
    job.graphs.push_back(builder.Build());
    job.graphOfRank = {0};
    job.communicatorOfGroup = {{CommunicatorId{0}}};
    job.communicators = {{.id = CommunicatorId{0}, .ranks = {RankId{0}}}};
    const WhatIfJob made = ApplyWhatIf(job, FindStructure(job, {}, {}), ParseWhatIf({"speed=.:2"}));
    CHECK(made.job.GraphOf(RankId{0}).Node(0).durationPs == 2000);
    REQUIRE(made.changes.size() == 2);
    CHECK(made.changes[1].starts_with("1 kernels whose names fit \".\", counted"));
}

TEST_CASE("What-if: kernels are faster, and are taken out", "[unit][trace-tools]")
{
    const Workload job = GenerateHalf(LayersOf({{"batch", "1"}}, 2, 2), {{"layers", "2"}});
    const ExecutionGraph& before = job.GraphOf(RankId{0});
    const Workload made =
        ApplyWhatIf(job, FindStructure(job, {}, {}), ParseWhatIf({"speed=mlp:4"})).job;
    const ExecutionGraph& fast = made.GraphOf(RankId{0});
    REQUIRE(fast.NodeCount() == before.NodeCount());
    for (uint32_t node = 0; node < before.NodeCount(); ++node)
    {
        const uint64_t divisor = NameHas(before, node, "mlp") ? 4 : 1;
        CHECK(fast.Node(node).operations == before.Node(node).operations / divisor);
        CHECK(fast.Node(node).size == before.Node(node).size / divisor);
    }

    // embedding -> attention -> mlp -> attention -> mlp -> head: without the mlps
    const ExecutionGraph less =
        ApplyWhatIf(job, FindStructure(job, {}, {}), ParseWhatIf({"remove=0 mlp$"}))
            .job.GraphOf(RankId{0});
    CHECK(less.NodeCount() == before.NodeCount() - 1);
    CHECK(less.Name(1) == "micro-batch 0 layer 0 attention");
    CHECK(less.Name(2) == "micro-batch 0 layer 1 attention");
    CHECK(std::ranges::count(less.Children(1), 2U) == 1);
}

TEST_CASE("What-if: parameters of a single copy are counted", "[unit][trace-tools]")
{
    const WhatIfPair noted = LayersOf({{"batch", "4"}}, 4, 8);
    const Workload job = GenerateHalf(noted, noted.from);
    const WhatIfJob more = ApplyWhatIf(job, FindStructure(job, {}, {}), WishOf(noted.to));
    REQUIRE(more.changes.size() == 2);
    CHECK(more.changes[1] ==
          "No gradients are summed, so the parameters of a layer are counted: those of the "
          "matrices of its kernels, and an even part of what the optimizer updates beyond them");

    const ModelValues values{{"batch", "4"}, {"positions", "rotary"}};
    const auto with = [&](ModelValues added)
    {
        added.merge(ModelValues(values));
        return added;
    };
    CheckPairs({
        LayersOf(values, 4, 8),
        LayersOf(with({{"tied-embeddings", "off"}, {"mlp", "gated"}, {"norm", "rms"}}), 3, 5),
        LayersOf(with({{"tp", "2"}, {"sp", "on"}}), 6, 4),
        LayersOf(with({{"tp", "2"}, {"pp", "2"}}), 4, 12),
        LayersOf(with({{"tp", "2"}, {"sp", "on"}, {"ffn", "192"}}), 4, 6),
        LayersOf(with({{"pp", "4"}, {"schedule", "gpipe"}}), 8, 12),
        LayersOf(with({{"pp", "2"}, {"chunks", "2"}, {"schedule", "interleaved"}}), 8, 16),
        LayersOf(with({{"mlp", "gated"}, {"recompute", "full"}}), 4, 5),
        {with({{"tp", "2"}, {"layers", "8"}}), {{"pp", "1"}}, {{"pp", "4"}}},
        {with({{"tp", "2"}, {"layers", "8"}, {"tied-embeddings", "off"}}),
         {{"pp", "2"}},
         {{"pp", "4"}}},
    });
}

TEST_CASE("What-if: without sums of gradients and shapes, the optimizer is an assumption",
          "[unit][trace-tools]")
{
    const WhatIfPair pair = LayersOf({{"batch", "2"}}, 4, 8);
    const Workload before = WithoutKernels(GenerateHalf(pair, pair.from));
    const WhatIfJob made = ApplyWhatIf(before, FindStructure(before, {}, {}), WishOf(pair.to));
    REQUIRE(made.changes.size() == 2);
    CHECK(made.changes[1].starts_with("The parameters of a layer cannot be counted, so kernels of "
                                      "the optimizer are taken to grow "
                                      "with the operations of a forward pass: "));
    CHECK(made.changes[1].find("names no shapes") != std::string::npos);
    const Workload after = GenerateHalf(pair, pair.to);
    const uint32_t last = after.graphs[0].NodeCount() - 1;
    REQUIRE(made.job.graphs[0].NodeCount() == last + 1);
    // Operations of a small vocabulary stand for fewer parameters than they have here.
    CHECK(static_cast<double>(made.job.graphs[0].Node(last).operations) ==
          Approx(static_cast<double>(after.graphs[0].Node(last).operations)).epsilon(0.1));
}

TEST_CASE("What-if: what cannot be told is refused, with what is missing", "[unit][trace-tools]")
{
    const auto message = [](const WhatIfPair& pair)
    { return ConfigErrorText([&] { MakeWhatIf(GenerateHalf(pair, pair.from), pair.to); }); };
    const ModelValues staged{{"pp", "2"}, {"dp", "2"}, {"batch", "8"}};
    CHECK(message(LayersOf(staged, 4, 5)) ==
          "what-if: layers: 4 layers are to become 5 on 2 stages of 1 chunks each; write a "
          "multiple of 2");
    CHECK(message(StagesOf({}, 8, 2, 3)) ==
          "what-if: pp: 8 layers on 3 stages; write a divisor of 8");
    CHECK(message(StagesOf({{"zero", "1"}}, 8, 2, 4))
              .ends_with("a stage between others is known from a recording of three stages"));
    const ModelValues chunked{{"layers", "8"}, {"pp", "2"}, {"chunks", "2"}};
    CHECK(message(PassesOf(chunked, {4, 5}, {"interleaved", "interleaved"})) ==
          "what-if: micro-batches: 5 micro-batches do not go in rounds of 2 stages; write a "
          "multiple of 2");
    CHECK_THROWS_WITH(ParseWhatIf({"schedule=zigzag"}),
                      "--set schedule=zigzag: write gpipe, 1f1b or interleaved");
    CHECK_THROWS_WITH(ParseWhatIf({"wings=2"}),
                      "--set: wings is no edit; those known are hidden, ffn, heads, sequence, "
                      "micro-batch, ep, tp, sp, layers, durations, pp, micro-batches, schedule, "
                      "chunks, dp, bucket, speed, remove, fuse, gpu.peak and "
                      "gpu.memory-bandwidth");
    CHECK_THROWS_WITH(ParseWhatIf({"experts=4"}),
                      "--set: experts is no edit; layers keep their experts, and ep=N spreads "
                      "these over ranks");
    const auto failure = [&](const std::string& setting)
    {
        const Workload job = GenerateHalf(LayersOf({}, 2, 2), {{"layers", "2"}});
        return ConfigErrorText(
            [&] { ApplyWhatIf(job, FindStructure(job, {}, {}), ParseWhatIf({setting})); });
    };
    CHECK(failure("speed=wing:2") ==
          "what-if: speed: the name of no kernel fits \"wing\"; the first ones are \"micro-batch 0 "
          "embedding\", \"micro-batch 0 layer 0 attention\", \"micro-batch 0 layer 0 mlp\"");
    CHECK(failure("remove=(") == "what-if: remove: \"(\" is no regular expression");
    CHECK(failure("layers=4000000000") ==
          "what-if: layers: 4000000000 layers have more than 10000000 tasks on a rank");
    const auto ofStages = [&](const std::string& setting)
    {
        const Workload job = GenerateHalf(LayersOf(staged, 4, 4), {{"layers", "4"}});
        return ConfigErrorText(
            [&] { ApplyWhatIf(job, FindStructure(job, {}, {}), ParseWhatIf({setting})); });
    };
    CHECK(ofStages("micro-batches=4000000000") ==
          "what-if: micro-batches: 4000000000 micro-batches have more than 10000000 tasks on a "
          "rank");
    CHECK(ofStages("dp=4000000000") ==
          "what-if: dp: 4000000000 copies have more than 4194304 ranks");
    CHECK(ofStages("dp=1000000") ==
          "what-if: dp: 1000000 copies of 2 ranks are more than can be put "
          "together; write 22360 or fewer");
    for (const std::string speed : {"mlp", "mlp:0", "mlp:fast", ":2", "mlp:-1", "mlp:nan"})
    {
        CHECK_THROWS_WITH(ParseWhatIf({"speed=" + speed}),
                          "--set speed=" + speed +
                              ": expected a regular expression and how many times as fast, as in "
                              "speed=attention:2");
    }
    CHECK_THROWS_WITH(ParseWhatIf({"speed=mlp:2", "speed=mlp:3"}),
                      "--set: speed=mlp stands twice; write it once");
    CHECK_THROWS_WITH(ParseWhatIf({"layers=2", "layers=3"}),
                      "--set: layers stands twice; write it once");
    CHECK_THROWS_WITH(
        ParseWhatIf({"layers=0"}),
        "--set layers=0: expected a whole number from 1 to 4294967295, as in layers=96");
    CHECK_THROWS_WITH(ParseWhatIf({"layers"}),
                      "--set layers: expected an edit and a value, as in layers=96");
}

} // namespace nadi::test
