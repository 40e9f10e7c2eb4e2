// SPDX-License-Identifier: GPL-2.0-only
// What-if: copies of a single one, a single one of several, and copies that share experts.
#include "tests/support/config-error-text.h"
#include "tests/support/what-if-bench.h"
#include "workload/execution-graph-builder.h"
#include "workload/what-if/graph-copy.h"

#include <catch2/catch.hpp>

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
    ExecutionGraphBuilder builder(graph.Source());
    AddGroups(graph, builder);
    const std::vector<std::vector<uint32_t>> parents = FindParents(graph);
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        NodeCopy copy = CopyNode(graph, node);
        copy.node.durationPs = int64_t{1000} * (node + 1);
        AddCopy(std::move(copy),
                std::vector<uint64_t>(parents[node].begin(), parents[node].end()),
                builder);
    }
    return builder.Build();
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
