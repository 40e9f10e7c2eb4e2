// SPDX-License-Identifier: GPL-2.0-only
// How the job of a generated transformer is cut over its ranks, and which cuts are refused.
#include "common/error.h"
#include "tests/support/config-error-text.h"
#include "tests/support/small-transformer.h"
#include "workload/job-limits.h"
#include "workload/models/transformer-cut.h"

#include <catch2/catch.hpp>

#include <utility>

using namespace nadi;
using namespace nadi::test;

TEST_CASE("Transformer: 4096 ranks share one graph for each stage", "[unit][workload]")
{
    const Workload job = MakeModelJob(
        "transformer",
        WithPreset("llama3-405b",
                   {{"tp", "8"}, {"sp", "on"}, {"pp", "16"}, {"dp", "32"}, {"batch", "512"}}),
        {4096});
    CHECK(job.RankCount() == 4096);
    CHECK(job.graphs.size() == 16);
    // Groups of tensor and of data parallelism, and the one of all ranks.
    CHECK(job.communicators.size() == 1 + 4096 / 8 + 4096 / 32);
    size_t bytes = 0;
    for (const ExecutionGraph& graph : job.graphs)
    {
        bytes += graph.MemoryBytes();
    }
    CHECK(bytes < size_t{64} << 20); // 4096 copies would be 256 times as much
}

TEST_CASE("Transformer: ids are the order of issue, and no group is of one rank",
          "[unit][workload]")
{
    const Workload job = MakeSmall({{"tp", "2"},
                                    {"sp", "on"},
                                    {"pp", "2"},
                                    {"cp", "2"},
                                    {"zero", "3"},
                                    {"experts", "4"},
                                    {"ep", "2"}},
                                   16);
    for (const ExecutionGraph& graph : job.graphs)
    {
        for (uint32_t node = 0; node < graph.NodeCount(); ++node)
        {
            REQUIRE(graph.Node(node).id == node);
            for (const uint32_t child : graph.Children(node))
            {
                REQUIRE(child > node);
            }
            if (graph.Node(node).type == NodeType::Compute)
            {
                REQUIRE(graph.Node(node).operations > 0);
                REQUIRE(graph.Node(node).size > 0);
            }
        }
    }
    for (const Communicator& communicator : job.communicators)
    {
        CHECK(communicator.ranks.size() > 1);
    }
}

TEST_CASE("Transformer: tp 0 is the first dimension of the stack", "[unit][workload]")
{
    const ModelValues values{{"layers", "2"}, {"hidden", "64"}, {"heads", "8"}, {"tp", "0"}};
    const auto make = [&](const std::vector<uint32_t>& dimensions) {
        return MakeModelJob("transformer", values, {8, dimensions});
    };
    std::vector<std::pair<uint32_t, uint32_t>> tensorGroups; // from the first rank to the last
    const Workload job = make({4, 2});
    for (const Communicator& communicator : job.communicators)
    {
        if (communicator.ranks.size() == 4)
        {
            tensorGroups.emplace_back(communicator.ranks.front().value,
                                      communicator.ranks.back().value);
        }
    }
    CHECK(tensorGroups == std::vector<std::pair<uint32_t, uint32_t>>{{0, 3}, {4, 7}});
    CHECK(ConfigErrorText(
              [&] {
                  make({3, 2});
              }) == "tp: tp 3 does not divide the 8 ranks; write a divisor of 8");
    CHECK(ConfigErrorText([&] { make({}); }) ==
          "tp: 0 is the first dimension of a stack, and there is none; write system.dimensions, or "
          "a number from 1");
}

TEST_CASE("Transformer: micro-batch 0 is all sequences of a copy at once", "[unit][workload]")
{
    const auto sums = [](const std::string& microBatch)
    {
        const Workload job = MakeSmall({{"tp", "2"}, {"micro-batch", microBatch}}, 8);
        return SumCalls(job.graphs[0], CollectiveType::AllReduce, "tp");
    };
    CHECK(sums("0") == sums("4")); // of 16 sequences over four copies
    CHECK(sums("0").count < sums("2").count);
    CHECK(ConfigErrorText(
              [] {
                  MakeSmall({{"micro-batch", "0"}, {"batch", "18"}}, 8);
              }) == "batch: dp 8 does not divide batch 18; make it a multiple of 8");
    CHECK(ConfigErrorText(
              [] {
                  MakeSmall({{"micro-batch", "0"}, {"batch", "0"}}, 8);
              }) == "micro-batch: is 0, and so is batch; write one of them");
}

TEST_CASE("Transformer: the limit of a trace counts every part that needs a graph of its own",
          "[unit][workload]")
{
    TransformerRequest request;
    request.job.shape.layers = LAYERS;
    request.job.shape.heads = 8;
    request.job.shape.kvHeads = 8;
    request.job.shape.ffn = 256;
    request.job.shape.sequence = SEQUENCE;
    // As many as one graph may have.
    request.batch = MOST_NODES / NODES_OF_LAYER / LAYERS;
    const auto error = [&](uint32_t tensor)
    {
        request.job.degrees = {.tensor = tensor, .data = 1};
        return ConfigErrorText([&] { CutJob(request, {tensor}); });
    };
    CHECK(error(2) == "");
    CHECK(error(3) ==
          "batch: 78125 micro-batches of some 384 nodes each are more than the 10000000 "
          "nodes of the largest job; write a smaller batch or a larger micro-batch");
    request.job.shape.layers = MOST_NODES / NODES_OF_LAYER + 1;
    request.batch = 1;
    CHECK(error(2) ==
          "layers: 625001 layers of some 16 nodes each are more than the 10000000 nodes of "
          "the largest job; write 625000 or fewer");
}

TEST_CASE("Transformer: what does not fit is named at its parameter", "[unit][workload]")
{
    const auto error = [](const ModelValues& values, uint32_t ranks = 8)
    { return ConfigErrorText([&] { MakeSmall(values, ranks); }); };
    CHECK(error({{"tp", "9"}}, 9) == "tp: 9 ranks cannot share heads 8; write 8 or fewer");
    CHECK(error({{"tp", "8"}, {"ffn", "7"}}) == "tp: 8 ranks cannot share ffn 7; write 7 or fewer");
    CHECK(error({{"tp", "8"}, {"vocabulary", "5"}}) ==
          "tp: 8 ranks cannot share vocabulary 5; write 5 or fewer");
    CHECK(error({{"tp", "8"}, {"vocabulary", "0"}}) == "");
    CHECK(error({{"tp", "8"}, {"sp", "on"}, {"experts", "2"}, {"expert-ffn", "6"}}) ==
          "tp: 8 ranks cannot share expert-ffn 6; write 6 or fewer");
    CHECK(error({{"tp", "3"}, {"sp", "on"}}, 3) ==
          "sp: tp 3 does not divide the tokens of a rank, 32; make it a multiple of 3");
    CHECK(error({{"pp", "16"}}) == "pp: 16 stages of 1 chunks want 16 layers at least, but there "
                                   "are 8; write fewer");
    CHECK(error({{"dp", "3"}, {"batch", "12"}}) ==
          "dp: tp 1 x cp 1 x dp 3 x pp 1 is not the 8 ranks of the job; "
          "write factors whose product it is");
    CHECK(error({{"phase", "decode"}, {"tp", "65536"}, {"pp", "65536"}}) ==
          "tp: tp 65536 is more than the 8 ranks; write a divisor of 8");
    CHECK(error({{"phase", "decode"}, {"tp", "4"}, {"pp", "3"}}) ==
          "pp: tp 4 x pp 3 is more than the 8 ranks; write degrees whose product divides 8");
    CHECK(error({{"tp", "8"}}, 4) == "tp: tp 8 is more than the 4 ranks; write a divisor of 4");
    CHECK(
        error({{"tp", "2"}, {"cp", "2"}, {"pp", "2"}}, 12) ==
        "pp: tp 2 x cp 2 x pp 2 does not divide the 12 ranks; write degrees whose product divides "
        "12");
    CHECK(error({{"batch", "12"}}) ==
          "batch: dp x micro-batch 8 does not divide batch 12; make it a multiple of 8");
    CHECK(error({{"ep", "2"}}) == "ep: there are no experts to share out; write experts, or remove "
                                  "ep");
    CHECK(error({{"experts", "8"}, {"tp", "2"}}) ==
          "sp: experts beside tp need sequence parallelism, so that each token is routed once; "
          "write sp: on");
    CHECK(error({{"weights", "streamed"}, {"zero", "1"}}) ==
          "weights: streamed leaves nothing to partition or to collect; remove zero and bucket, or "
          "write resident");
    CHECK(error({{"zero", "4"}}) ==
          "zero: \"4\" is not valid; write a whole number from 0 to 3, such as 0");
    CHECK(error({{"cp", "0"}})
              .starts_with("cp: \"0\" is not valid; write a whole number from 1 to 16777216"));
    CHECK(error({{"heads", "5"}}) ==
          "heads: heads 5 does not divide hidden 64; write a divisor of 64");
    CHECK(error({{"kv-rank", "0"}, {"query-rank", "5"}}) ==
          "kv-rank: is 0, but query-rank, rope-head-size and value-head-size are for latent "
          "attention; write kv-rank, or remove them");
    CHECK(error({{"kv-rank", "16"}, {"kv-heads", "4"}}) ==
          "kv-heads: is 4, but latent attention (kv-rank) computes keys and values of each of the "
          "8 heads; remove it, or write 8");
    CHECK(error({{"kv-rank", "16"}, {"kv-heads", "8"}}) == "");
    CHECK(error({{"experts", "4"}, {"dense-layers", "8"}}) ==
          "dense-layers: is 8 of 8 layers, which leaves none for experts; write 0 to 7, or more "
          "layers");
    CHECK(error({{"experts", "4"}, {"dense-layers", "3"}, {"layers", "1"}}) ==
          "dense-layers: is 3 of 1 layer, which leaves none for experts; write 0, or more layers");
    CHECK(error({{"experts", "4"}, {"dense-layers", "7"}}) == "");
    CHECK(error({{"pp", "4"}, {"schedule", "interleaved"}, {"batch", "12"}}, 4) == "");
    CHECK(error({{"pp", "4"}, {"schedule", "interleaved"}, {"batch", "6"}}, 4) ==
          "batch: pp, with schedule interleaved, 4 does not divide the micro-batches of a step, 6; "
          "make it a multiple of 4");
    CHECK(error({{"layers", "16777216"}, {"hidden", "16777216"}}) ==
          "layers: has more than 10^18 parameters with these widths; write smaller numbers");
}

TEST_CASE(
    "Transformer: streamed weights are loaded by their copies before each pass of a layer, and "
    "the sum of their gradients is stored after each backward pass",
    "[unit][workload]")
{
    const Workload job = MakeSmall({{"weights", "streamed"}, {"vocabulary", "0"}, {"dp", "4"}}, 4);
    REQUIRE(job.graphs.size() == 1);
    const ExecutionGraph& graph = job.graphs.front();
    uint64_t loads = 0;
    uint64_t stores = 0;
    uint64_t loaded = 0;
    uint64_t stored = 0;
    for (const ExecutionNode& node : graph.Nodes())
    {
        CHECK(node.type != NodeType::Collective); // nothing is left to sum among the copies
        const bool isLoad = node.type == NodeType::MemoryLoad;
        if (!isLoad && node.type != NodeType::MemoryStore)
        {
            continue;
        }
        CHECK(node.isRemote);
        CHECK(node.isOfGroup);
        CHECK(job.communicators[job.communicatorOfGroup[0][node.group].value].ranks.size() == 4);
        (isLoad ? loads : stores) += 1;
        (isLoad ? loaded : stored) += node.size;
    }
    const uint64_t microBatches = BATCH / 4;
    CHECK(loads == 2 * LAYERS * microBatches);
    CHECK(stores == LAYERS * microBatches);
    CHECK(loaded == 2 * stored);
    // Twelve squares of the hidden size for each layer, and what grows with it once; bf16.
    const uint64_t least = 12 * HIDDEN * HIDDEN * LAYERS * microBatches * 2;
    CHECK(stored > least);
    CHECK(static_cast<double>(stored) < 1.05 * static_cast<double>(least));
}

namespace
{

/// The accesses of all ranks of a job with `values` to the parameters of its head.
std::pair<CallSum, CallSum>
AccessesOfHead(ModelValues values, uint32_t ranks)
{
    values["weights"] = "streamed";
    const Workload job = MakeSmall(std::move(values), ranks);
    std::pair<CallSum, CallSum> sums;
    for (const ExecutionGraph& graph : job.graphs)
    {
        const CallSum loads = SumMessages(graph, NodeType::MemoryLoad, "head");
        const CallSum stores = SumMessages(graph, NodeType::MemoryStore, "head");
        sums.first = {sums.first.count + loads.count, sums.first.bytes + loads.bytes};
        sums.second = {sums.second.count + stores.count, sums.second.bytes + stores.bytes};
    }
    return sums;
}

} // namespace

TEST_CASE(
    "Transformer: a streamed head loads its matrix before both passes, tied or not, and stores "
    "its gradient",
    "[unit][workload]")
{
    const uint64_t held = (VOCABULARY * HIDDEN + 2 * HIDDEN) * 2; // the matrix and the last norm
    const std::pair expected{CallSum{2 * BATCH, 2 * BATCH * held}, CallSum{BATCH, BATCH * held}};
    for (const std::string tied : {"on", "off"})
    {
        CAPTURE(tied);
        CHECK(AccessesOfHead({{"tied-embeddings", tied}}, 1) == expected);
        CHECK(AccessesOfHead({{"tied-embeddings", tied}, {"pp", "2"}}, 2) == expected);
    }
}

TEST_CASE("Transformer: with ZeRO 3 one stage gathers a tied embedding once for both of its ends",
          "[unit][workload]")
{
    const auto gathered = [](const std::string& tied, const std::string& part)
    {
        const Workload job = MakeSmall({{"zero", "3"}, {"tied-embeddings", tied}}, 4);
        return SumCalls(job.graphs[0], GATHER, "dp", part);
    };
    const uint64_t microBatches = BATCH / 4;
    const uint64_t norm = 2 * HIDDEN * 2 / 4;
    const uint64_t matrix = VOCABULARY * HIDDEN * 2 / 4;
    const uint64_t positions = SEQUENCE * HIDDEN * 2 / 4;
    CHECK(gathered("on", "embedding") ==
          CallSum{microBatches, microBatches * (matrix + positions)});
    // The head is kept until the backward pass of its micro-batch.
    CHECK(gathered("on", "head") == CallSum{microBatches, microBatches * norm});
    CHECK(gathered("off", "head") == CallSum{microBatches, microBatches * (norm + matrix)});
}

TEST_CASE("Transformer: parameters come in the order of their use, each while what is used before "
          "is computed",
          "[unit][workload]")
{
    using Names = std::set<std::string>;
    const auto make = [](const std::string& key, const std::string& value)
    {
        const Workload job = MakeSmall({{key, value}, {"layers", "3"}, {"batch", "4"}}, 4);
        return job.graphs.front();
    };
    const auto named = [](const std::string& name) { return "micro-batch 0 " + name; };
    for (const auto& [key, value] :
         {std::pair<std::string, std::string>{"zero", "3"}, {"weights", "streamed"}})
    {
        CAPTURE(key);
        const ExecutionGraph graph = make(key, value);
        const auto waits = [&](const std::string& name) { return WaitsOf(graph, named(name)); };
        CHECK(waits("layer 0 parameters") == Names{named("embedding")});
        CHECK(waits("layer 1 parameters") ==
              Names{named("embedding"), named("layer 0 parameters")});
        CHECK(waits("layer 2 parameters") ==
              Names{named("layer 0 mlp"), named("layer 1 parameters")});
        CHECK(waits("head parameters") == Names{named("layer 1 mlp"), named("layer 2 parameters")});
        CHECK(waits("layer 1 backward parameters") ==
              Names{named("head input gradient"), named("layer 2 backward parameters")});
        CHECK(
            waits("layer 0 backward parameters") ==
            Names{named("layer 2 attention input gradient"), named("layer 1 backward parameters")});
    }
    // With ZeRO 3 the head is kept. Streamed parameters are loaded for each pass.
    const std::string last = named("layer 2 backward parameters");
    CHECK(WaitsOf(make("zero", "3"), last) == Names{named("head")});
    CHECK(WaitsOf(make("weights", "streamed"), last) ==
          Names{named("head"), named("head backward parameters")});
}

TEST_CASE("Transformer: a single stage with the interleaved schedule sends itself nothing",
          "[unit][workload]")
{
    const Workload alone = MakeSmall({{"schedule", "interleaved"}}, 1);
    const Workload plain = MakeSmall({{"schedule", "1f1b"}}, 1);
    CHECK(SumMessages(alone.graphs[0], NodeType::Send).count == 0);
    CHECK(SumMessages(alone.graphs[0], NodeType::Receive).count == 0);
    REQUIRE(alone.graphs[0].NodeCount() == plain.graphs[0].NodeCount());
    for (uint32_t node = 0; node < plain.graphs[0].NodeCount(); ++node)
    {
        CHECK(alone.graphs[0].Name(node) == plain.graphs[0].Name(node));
    }
    // Chunks count for nothing then, however many there are.
    CHECK(MakeSmall({{"schedule", "interleaved"}, {"chunks", "9"}}, 1).graphs[0].NodeCount() ==
          plain.graphs[0].NodeCount());
}
