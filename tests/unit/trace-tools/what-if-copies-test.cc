// SPDX-License-Identifier: GPL-2.0-only
// What-if: copies of a single one, a single one of several, and copies that share experts.
#include "tests/support/config-error-text.h"
#include "tests/support/what-if-bench.h"
#include "workload/execution-graph-builder.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/what-if/graph-copy.h"
#include "workload/what-if/graph-rewriter.h"
#include "workload/what-if/what-if-settings.h"

#include <catch2/catch.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nadi::test
{

namespace
{

/// Copies before and after, each with so many micro-batches. Parameters beyond matrices are those
/// of layers and of the last norm: positions are rotary.
WhatIfPair
CopyPairOf(ModelValues values, uint32_t from, uint32_t to, uint32_t batchOfCopy)
{
    values.merge(ModelValues{{"positions", "rotary"}});
    const auto copies = [&](uint32_t dp) {
        return ModelValues{{"dp", std::to_string(dp)}, {"batch", std::to_string(dp * batchOfCopy)}};
    };
    return {std::move(values), copies(from), copies(to)};
}

const ModelValues EXPERTS{{"layers", "4"}, {"experts", "4"}, {"top-k", "2"}, {"expert-ffn", "64"}};

ModelValues
WithExperts(ModelValues values)
{
    values.merge(ModelValues(EXPERTS));
    return values;
}

/// Each node takes a nanosecond more than the one before.
ExecutionGraph
WithDurations(const ExecutionGraph& graph)
{
    return ChangeNodes(graph,
                       [](uint32_t node, NodeCopy& copy)
                       { copy.node.durationPs = int64_t{1000} * (node + 1); });
}

/// Requires: a node has the name.
uint32_t
FindByName(const ExecutionGraph& graph, const std::string& name)
{
    uint32_t node = 0;
    while (graph.Name(node) != name)
    {
        ++node;
    }
    return node;
}

} // namespace

TEST_CASE("What-if: copies of a perceptron and of a ResNet are those that the generator makes",
          "[unit][trace-tools][what-if]")
{
    for (const std::string model : {"mlp", "resnet-50"})
    {
        INFO(model);
        const Workload four = MakeModelJob(model, {{"batch", "64"}}, {4});
        const Workload eight = MakeModelJob(model, {{"batch", "128"}}, {8});
        CheckSameJob(MakeWhatIf(four, {{"dp", "8"}}), eight);
        CheckSameJob(MakeWhatIf(eight, {{"dp", "4"}}), four);
    }
}

TEST_CASE("What-if: without layers, copies are those that a hint counts",
          "[unit][trace-tools][what-if]")
{
    const auto perceptron = [](uint32_t copies)
    {
        return MakeModelJob(
            "mlp",
            {{"batch", std::to_string(16 * copies)}, {"layers", "3"}, {"widths", "64,128,256,512"}},
            {copies});
    };
    // Stages of one layer, which no names tell.
    const auto stages = [](uint32_t copies)
    {
        return WithNeutralNames(GenerateHalf({{{"layers", "4"},
                                               {"pp", "4"},
                                               {"tied-embeddings", "off"},
                                               {"dp", std::to_string(copies)},
                                               {"batch", std::to_string(8 * copies)}},
                                              {},
                                              {}},
                                             {}));
    };
    StructureHints hints;
    hints.degrees.data = 2;
    const auto copied = [&](const Workload& job)
    {
        const JobStructure found = FindStructure(job, {}, hints);
        CHECK_FALSE(found.HasLayers());
        return ApplyWhatIf(job, found, ParseWhatIf({"dp=4"})).job;
    };
    CheckSameJob(copied(perceptron(2)), perceptron(4));
    CheckSameJob(copied(stages(2)), stages(4));
}

TEST_CASE("What-if: where no layers tell the copies, it is said which hint tells them, or why none "
          "does",
          "[unit][trace-tools][what-if]")
{
    const auto refusalOf = [](const Workload& job, std::optional<uint32_t> copies)
    {
        StructureHints hints;
        hints.degrees.data = copies;
        return ConfigErrorText(
            [&] { ApplyWhatIf(job, FindStructure(job, {}, hints), ParseWhatIf({"dp=8"})); });
    };
    const Workload perceptron =
        MakeModelJob("mlp", {{"batch", "64"}, {"layers", "3"}, {"widths", "64,128,256,512"}}, {4});
    CHECK(refusalOf(perceptron, std::nullopt) ==
          "what-if: dp: which ranks are copies of each other cannot be told without layers; "
          "--degrees dp=N says how many there are");
    CHECK(refusalOf(perceptron, 2) ==
          "what-if: dp: 2 copies are told by groups of 2 ranks that do nothing but sum, one for "
          "each rank; there are none of 2 ranks; nadi trace structure lists the groups");
    CHECK(refusalOf(perceptron, 4).empty());
    // Its ranks exchange what they look up in their tables.
    const Workload tables = MakeModelJob("dlrm", {{"batch", "64"}}, {4});
    CHECK(refusalOf(tables, std::nullopt) ==
          "what-if: dp: no group does nothing but sum, as copies sum their gradients, so no ranks "
          "are copies of each other; nadi trace structure lists what groups do");
    CHECK(refusalOf(tables, 4) ==
          "what-if: dp: 4 copies are told by groups of 4 ranks that do nothing but sum, one for "
          "each rank; those of 4 ranks call all-reduce and all-to-all; nadi trace structure lists "
          "the groups");
}

TEST_CASE("What-if: several copies of a single one, and a single one of several",
          "[unit][trace-tools]")
{
    CheckPairs({
        CopyPairOf({{"layers", "4"}}, 1, 2, 2),
        CopyPairOf({{"layers", "4"}, {"tied-embeddings", "off"}}, 1, 4, 1),
        CopyPairOf({{"layers", "8"}, {"tp", "2"}, {"sp", "on"}}, 1, 2, 3),
        CopyPairOf({{"layers", "8"}, {"pp", "2"}}, 1, 3, 4),
        CopyPairOf({{"layers", "8"}, {"pp", "4"}, {"tp", "2"}}, 1, 2, 4),
        CopyPairOf(
            {{"layers", "4"}, {"mlp", "gated"}, {"biases", "off"}, {"norm", "rms"}}, 1, 2, 1),
        CopyPairOf({{"layers", "4"}, {"cp", "2"}}, 1, 2, 2),
        CopyPairOf({{"layers", "4"}, {"tp", "2"}}, 2, 1, 2),
    });
}

TEST_CASE("What-if: several copies of a single one with experts", "[unit][trace-tools]")
{
    CheckPairs({
        CopyPairOf(WithExperts({}), 1, 2, 1),
        CopyPairOf(WithExperts({{"mlp", "gated"}, {"biases", "off"}, {"norm", "rms"}}), 1, 3, 2),
        CopyPairOf(WithExperts({{"pp", "2"}, {"tp", "2"}, {"sp", "on"}}), 1, 2, 2),
        CopyPairOf(WithExperts({{"shared-experts", "1"}, {"tied-embeddings", "off"}}), 1, 4, 1),
        CopyPairOf(WithExperts({{"pp", "2"}, {"recompute", "full"}, {"biases", "off"}}), 1, 2, 2),
    });
}

TEST_CASE("What-if: copies with shards become a single one", "[unit][trace-tools]")
{
    for (const std::string zero : {"1", "2", "3"})
    {
        CAPTURE(zero);
        const WhatIfPair pair = CopyPairOf({{"layers", "4"}, {"zero", zero}}, 2, 1, 2);
        CheckSameJob(MakeWhatIf(GenerateHalf(pair, pair.from), pair.to),
                     GenerateHalf(pair, pair.to));
    }
}

TEST_CASE("What-if: copies that share experts keep them", "[unit][trace-tools]")
{
    CheckPairs({
        CopyPairOf(WithExperts({{"ep", "2"}}), 4, 8, 1),
        CopyPairOf(WithExperts({{"ep", "2"}}), 6, 4, 2),
        CopyPairOf(WithExperts({{"ep", "4"}}), 8, 12, 1),
        CopyPairOf(WithExperts({{"ep", "2"}, {"tp", "2"}, {"sp", "on"}}), 4, 8, 1),
        CopyPairOf(WithExperts({{"ep", "2"}, {"pp", "2"}, {"zero", "1"}}), 4, 8, 2),
        CopyPairOf(WithExperts({{"ep", "2"}, {"cp", "2"}}), 2, 4, 1),
    });
}

TEST_CASE("What-if: copies that cannot be told are refused, with what is missing",
          "[unit][trace-tools]")
{
    const auto message = [](const WhatIfPair& pair)
    { return ConfigErrorText([&] { MakeWhatIf(GenerateHalf(pair, pair.from), pair.to); }); };
    CHECK(message(CopyPairOf(WithExperts({{"ep", "2"}}), 4, 5, 1)) ==
          "what-if: dp: 4 copies are to become 5, but 2 neighbours share the experts; write a "
          "multiple of 2");
}

TEST_CASE("What-if: new layers take the median of each of their tasks, if wanted",
          "[unit][trace-tools]")
{
    const WhatIfPair pair{{{"dp", "2"}, {"batch", "2"}}, {{"layers", "3"}}, {}};
    Workload job = GenerateHalf(pair, pair.from);
    for (ExecutionGraph& graph : job.graphs)
    {
        graph = WithDurations(graph);
    }
    const Workload made = MakeWhatIf(job, {{"layers", "5"}, {"durations", "median"}});
    const Workload cycled = MakeWhatIf(job, {{"layers", "5"}, {"durations", "cycle"}});
    const auto durationOf = [](const Workload& of, const std::string& name)
    { return of.GraphOf(RankId{0}).Node(FindByName(of.GraphOf(RankId{0}), name)).durationPs; };
    const std::string task = "micro-batch 0 layer ";
    // Layer 1 is in the middle of three, as durations grow from node to node.
    CHECK(durationOf(made, task + "3 mlp") == durationOf(job, task + "1 mlp"));
    CHECK(durationOf(made, task + "4 mlp") == durationOf(job, task + "1 mlp"));
    CHECK(durationOf(made, task + "2 mlp") == durationOf(job, task + "2 mlp"));
    CHECK(durationOf(cycled, task + "3 mlp") == durationOf(job, task + "0 mlp"));
    CHECK(ConfigErrorText(
              [&] {
                  MakeWhatIf(job, {{"durations", "median"}});
              }) ==
          "what-if: durations: says what repeated layers take, and no layer is repeated; write it "
          "with layers, pp or chunks, or leave it out");
    CHECK_THROWS_WITH(WishOf({{"durations", "mean"}}),
                      "--set durations=mean: write cycle or median");
    CHECK_THROWS_WITH(WishOf({{"bucket", "100"}}),
                      Catch::Matchers::StartsWith("--set bucket=100: "));
}

} // namespace nadi::test
