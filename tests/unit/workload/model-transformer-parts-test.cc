// SPDX-License-Identifier: GPL-2.0-only
// Tensor parallelism that does not divide the shape of a transformer: the parts of all ranks
// together are the whole model, and their collectives agree.
#include "tests/support/small-transformer.h"
#include "workload/models/transformer-parts.h"

#include <catch2/catch.hpp>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// One training step of the small GPT with `tp` ranks.
Workload
MakeTensorJob(uint32_t tp, ModelValues values = {})
{
    values["tp"] = std::to_string(tp);
    return MakeSmall(values, tp);
}

uint64_t
SumTraffic(const Workload& job)
{
    uint64_t sum = 0;
    for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
    {
        const ExecutionGraph& graph = job.GraphOf(RankId{rank});
        for (uint32_t node = 0; node < graph.NodeCount(); ++node)
        {
            sum += graph.Node(node).type == NodeType::Compute ? graph.Node(node).size : 0;
        }
    }
    return sum;
}

TransformerJob
MakeHeads(uint64_t heads, uint64_t kvHeads, uint32_t tp)
{
    TransformerJob job;
    job.shape.heads = heads;
    job.shape.kvHeads = kvHeads;
    job.degrees.tensor = tp;
    return job;
}

using Heads = std::vector<std::pair<uint64_t, uint64_t>>; // of queries, and of keys and values

Heads
HeadsOfRanks(const TransformerJob& job)
{
    const TransformerParts parts(job);
    Heads heads;
    for (uint32_t rank = 0; rank < job.degrees.tensor; ++rank)
    {
        const TransformerShape& part = parts.Kinds()[parts.KindOf(rank)];
        heads.emplace_back(part.heads, part.kvHeads);
    }
    return heads;
}

} // namespace

TEST_CASE("TransformerParts: part i of n units is floor((i+1) n / tp) - floor(i n / tp)",
          "[unit][workload]")
{
    const Workload job = MakeTensorJob(3);
    const uint64_t tokens = BATCH * SEQUENCE;
    // 8 heads, 4 x 64 inner elements, 128 tokens.
    const std::vector<uint64_t> heads{8 / 3, 16 / 3 - 8 / 3, 8 - 16 / 3};
    const std::vector<uint64_t> widths{256 / 3, 512 / 3 - 256 / 3, 256 - 512 / 3};
    const std::vector<uint64_t> words{128 / 3, 256 / 3 - 128 / 3, 128 - 256 / 3};
    for (uint32_t rank = 0; rank < 3; ++rank)
    {
        CAPTURE(rank);
        const ExecutionGraph& graph = job.GraphOf(RankId{rank});
        // A product costs 2 operations forward and 4 backward for each element of its matrix and
        // token; the core of the attention counts 2 matrices of SEQUENCE columns a head.
        const uint64_t headSize = HIDDEN / 8;
        const uint64_t attention = headSize * heads[rank] * (4 * HIDDEN + 2 * SEQUENCE);
        CHECK(SumOperations(graph, "attention") == 6 * tokens * LAYERS * attention);
        CHECK(SumOperations(graph, "mlp") == 6 * tokens * LAYERS * 2 * HIDDEN * widths[rank]);
        CHECK(SumOperations(graph, "head") == 6 * tokens * HIDDEN * words[rank]);
    }
}

TEST_CASE("TransformerParts: ranks together hold the whole model once, and what each copies",
          "[unit][workload]")
{
    // The optimizer costs 12 operations for each parameter. Two norms of a layer, the biases after
    // the two sums of it, the last norm, and the embedding of positions are on every rank.
    const uint64_t copied = LAYERS * (2 * 2 * HIDDEN + 2 * HIDDEN) + 2 * HIDDEN + SEQUENCE * HIDDEN;
    const uint64_t whole = SumAllOperations(MakeTensorJob(1), "optimizer");
    for (const uint32_t tp : {2U, 3U, 5U, 7U, 8U})
    {
        CAPTURE(tp);
        CHECK(SumAllOperations(MakeTensorJob(tp), "optimizer") == whole + 12 * (tp - 1) * copied);
    }
}

TEST_CASE("TransformerParts: each further rank adds the same memory traffic, divided evenly or not",
          "[unit][workload]")
{
    // Each rank reads whole inputs and writes whole outputs; all else is cut. So n ranks move what
    // one moves and n - 1 times those activations, which tp 2 shows: it divides everything.
    for (const ModelValues& values : {ModelValues{}, ModelValues{{"kv-heads", "4"}}})
    {
        const uint64_t one = SumTraffic(MakeTensorJob(1, values));
        const uint64_t more = SumTraffic(MakeTensorJob(2, values)) - one;
        CHECK(SumTraffic(MakeTensorJob(3, values)) == one + 2 * more);
        CHECK(SumTraffic(MakeTensorJob(4, values)) == one + 3 * more);
    }
}

TEST_CASE("TransformerParts: of an MoE, experts and shared experts are cut too", "[unit][workload]")
{
    const auto make = [](uint32_t tp)
    {
        return MakeTensorJob(tp,
                             {{"sp", "on"},
                              {"experts", "4"},
                              {"top-k", "2"},
                              {"shared-experts", "1"},
                              {"expert-ffn", "50"},
                              {"batch", "15"},
                              {"micro-batch", "15"}});
    };
    const auto operations = [](const Workload& job)
    { return SumAllOperations(job, "experts") + SumAllOperations(job, "router"); };
    CHECK(operations(make(3)) == operations(make(1)));
}

TEST_CASE("TransformerParts: all ranks of a group call the same collectives of the same size",
          "[unit][workload]")
{
    const Workload job = MakeTensorJob(3);
    const CallSum sums = SumCalls(job.GraphOf(RankId{0}), REDUCE, "tp");
    CHECK(sums.count > 0);
    for (const uint32_t rank : {1U, 2U})
    {
        CHECK(SumCalls(job.GraphOf(RankId{rank}), REDUCE, "tp") == sums);
    }
    // They carry whole activations, as where tp divides the shape.
    CHECK(SumCalls(MakeTensorJob(2).GraphOf(RankId{0}), REDUCE, "tp") == sums);
}

TEST_CASE("TransformerParts: ranks with equal parts share a graph", "[unit][workload]")
{
    CHECK(MakeTensorJob(4).graphs.size() == 1);
    CHECK(MakeTensorJob(3).graphs.size() == 3);
    // 8 heads: 1, 1, 2, then again; 256: 42, 43, 43; 128: 21, 21, 22.
    const Workload job = MakeSmall({{"tp", "6"}, {"pp", "2"}}, 12);
    CHECK(job.graphs.size() == 2 * 3);
    for (uint32_t rank = 0; rank < 3; ++rank)
    {
        CHECK(&job.GraphOf(RankId{rank}) == &job.GraphOf(RankId{rank + 3}));
        CHECK(&job.GraphOf(RankId{rank}) != &job.GraphOf(RankId{rank + 6})); // another stage
    }
}

TEST_CASE("TransformerParts: query heads stay with the keys and values that they share",
          "[unit][workload]")
{
    CHECK(HeadsOfRanks(MakeHeads(28, 28, 3)) == Heads{{9, 9}, {9, 9}, {10, 10}});
    CHECK(HeadsOfRanks(MakeHeads(32, 8, 4)) == Heads{{8, 2}, {8, 2}, {8, 2}, {8, 2}});
    CHECK(HeadsOfRanks(MakeHeads(32, 8, 3)) == Heads{{8, 2}, {12, 3}, {12, 3}});
    // Fewer of the latter than ranks: heads 0 and 1, 2 to 4, 5 to 7; the first four share one.
    CHECK(HeadsOfRanks(MakeHeads(8, 2, 3)) == Heads{{2, 1}, {3, 2}, {3, 1}});
    CHECK(HeadsOfRanks(MakeHeads(8, 2, 4)) == Heads{{2, 1}, {2, 1}, {2, 1}, {2, 1}});
}
