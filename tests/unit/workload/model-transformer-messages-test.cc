// SPDX-License-Identifier: GPL-2.0-only
// Bytes that generated transformers send, against the closed forms of the literature;
// docs/workloads.md has them with their sources.
#include "tests/support/small-transformer.h"

#include <catch2/catch.hpp>

#include <set>
#include <string>
#include <tuple>

using namespace nadi;
using namespace nadi::test;

namespace
{

const auto SCATTER = CollectiveType::ReduceScatter;
const auto EXCHANGE = CollectiveType::AllToAll;

} // namespace

TEST_CASE("Transformer: tensor parallelism sums b s h twice a layer in each direction",
          "[unit][workload]")
{
    // Shoeybi et al., arXiv 1909.08053, section 3.
    const Workload job = MakeSmall({{"tp", "4"}}, 4);
    const uint64_t layers = BATCH * LAYERS;
    for (const std::string block : {"attention", "mlp"})
    {
        CHECK(SumCalls(job.graphs[0], REDUCE, "tp", block + " sum") ==
              CallSum{layers, layers * ACTIVATION});
        CHECK(SumCalls(job.graphs[0], REDUCE, "tp", block + " input gradient sum") ==
              CallSum{layers, layers * ACTIVATION});
    }
    // Besides: the embedding's sum, the head's gradient, and three numbers of 4 B for each token.
    const uint64_t all = SumCalls(job.graphs[0], REDUCE, "tp").bytes;
    CHECK(all == BATCH * (4 * LAYERS * ACTIVATION + 2 * ACTIVATION + 3 * SEQUENCE * 4));
    CHECK(SumCalls(job.graphs[0], GATHER, "tp").count == 0);
}

TEST_CASE("Transformer: sequence parallelism moves the same bytes, and gathers inputs once more",
          "[unit][workload]")
{
    // Korthikanti et al., arXiv 2205.05198, section 4.2.2.
    const Workload job = MakeSmall({{"tp", "4"}, {"sp", "on"}, {"vocabulary", "0"}}, 4);
    const ExecutionGraph& graph = job.graphs[0];
    const uint64_t layers = BATCH * LAYERS;
    CHECK(SumCalls(graph, SCATTER, "tp") == CallSum{4 * layers, 4 * layers * ACTIVATION});
    CHECK(SumCalls(graph, GATHER, "tp") == CallSum{6 * layers, 6 * layers * ACTIVATION / 4});
    CHECK(SumCalls(graph, GATHER, "tp", "input gather").count == 2 * layers);
    CHECK(SumCalls(graph, REDUCE, "tp").count == 0);
}

TEST_CASE("Transformer: inputs are gathered again beside the gradient of inputs, and not beside "
          "what it waits for",
          "[unit][workload]")
{
    using Names = std::set<std::string>;
    const Workload job = MakeSmall({{"tp", "4"}, {"sp", "on"}, {"batch", "1"}}, 4);
    const std::string layer = "micro-batch 0 layer 2 ";
    for (const std::string block : {"attention", "mlp"})
    {
        const std::string name = layer + block;
        const Names outputs{name + " output gradient gather"};
        CHECK(WaitsOf(job.graphs[0], name + " input gradient") == outputs);
        CHECK(WaitsOf(job.graphs[0], name + " input gather") == outputs);
        CHECK(WaitsOf(job.graphs[0], name + " weight gradient") ==
              Names{name + " output gradient gather",
                    name + " input gradient",
                    name + " input gather"});
    }
}

TEST_CASE("Transformer: data parallelism sums each gradient of the rank once a step",
          "[unit][workload]")
{
    const auto parameters = [](uint64_t tensor)
    {
        // Per rank: matrices and their biases of the outputs are cut, other biases and norms not.
        const uint64_t layer = 12 * HIDDEN * HIDDEN / tensor + 7 * HIDDEN / tensor + 6 * HIDDEN;
        return LAYERS * layer + (VOCABULARY / tensor + SEQUENCE) * HIDDEN + 2 * HIDDEN;
    };
    for (const uint64_t tensor : {1, 2})
    {
        CAPTURE(tensor);
        const ModelValues cut{{"tp", std::to_string(tensor)}, {"gradient-dtype", "fp32"}};
        const auto ranks = static_cast<uint32_t>(4 * tensor);
        const Workload job = MakeSmall(cut, ranks);
        CHECK(SumCalls(job.graphs[0], REDUCE, "dp") == CallSum{LAYERS + 2, 4 * parameters(tensor)});
        ModelValues bucketed = cut;
        bucketed["bucket"] = "1 TB";
        CHECK(SumCalls(MakeSmall(bucketed, ranks).graphs[0], REDUCE, "dp") ==
              CallSum{1, 4 * parameters(tensor)});
    }
}

TEST_CASE(
    "Transformer: ZeRO 1 scatters gradients once and gathers parameters, 2 scatters those of every "
    "micro-batch, 3 gathers before every pass too",
    "[unit][workload]")
{
    // Rajbhandari et al., SC 2020, section 7: 2 P bytes moved with stages 1 and 2, 3 P with 3.
    const uint64_t layer = 12 * HIDDEN * HIDDEN + 13 * HIDDEN;
    const ModelValues common{{"vocabulary", "0"}, {"batch", "4"}};
    for (const std::string stage : {"1", "2", "3"})
    {
        CAPTURE(stage);
        ModelValues values = common;
        values["zero"] = stage;
        const ExecutionGraph graph = MakeSmall(values, 4).graphs[0];
        const uint64_t passes = stage == "3" ? 2 : 1;
        CHECK(SumCalls(graph, SCATTER, "dp") == CallSum{LAYERS, LAYERS * layer * 2});
        CHECK(SumCalls(graph, GATHER, "dp") ==
              CallSum{passes * LAYERS, passes * LAYERS * layer * 2 / 4});
        CHECK(SumCalls(graph, REDUCE, "dp").count == 0);
    }
    ModelValues accumulating = common;
    accumulating["batch"] = "16"; // four micro-batches on each rank
    for (const auto& [stage, scatters, gathers] :
         {std::tuple("1", 1U, 1U), {"2", 4U, 1U}, {"3", 4U, 2U * 4U}})
    {
        CAPTURE(stage);
        accumulating["zero"] = stage;
        accumulating["bucket"] = "0 B";
        const ExecutionGraph graph = MakeSmall(accumulating, 4).graphs[0];
        CHECK(SumCalls(graph, SCATTER, "dp") ==
              CallSum{scatters * LAYERS, scatters * LAYERS * layer * 2});
        CHECK(SumCalls(graph, GATHER, "dp").count == gathers * LAYERS);
        accumulating["bucket"] = "1 TB"; // holds one micro-batch all the same
        CHECK(SumCalls(MakeSmall(accumulating, 4).graphs[0], SCATTER, "dp").count == scatters);
    }
}

TEST_CASE(
    "Transformer: both ends of the pipeline sum the tied matrix, and from ZeRO 2 on the shard "
    "that a rank keeps",
    "[unit][workload]")
{
    const uint64_t matrix = VOCABULARY * HIDDEN * 2;
    for (const auto& [zero, bytes] : {std::pair<std::string, uint64_t>{"0", matrix},
                                      {"1", matrix},
                                      {"2", matrix / 4},
                                      {"3", matrix / 4}})
    {
        CAPTURE(zero);
        const Workload job = MakeSmall({{"pp", "2"}, {"zero", zero}}, 8);
        for (const ExecutionGraph& graph : job.graphs)
        {
            CHECK(SumCalls(graph, REDUCE, "embedding") == CallSum{1, bytes});
        }
    }
}

TEST_CASE("Transformer: each pass of a micro-batch sends b s h to the next stage",
          "[unit][workload]")
{
    for (const auto& [schedule, chunks] :
         {std::pair<std::string, uint64_t>{"gpipe", 1}, {"1f1b", 1}, {"interleaved", 2}})
    {
        CAPTURE(schedule);
        const Workload job = MakeSmall({{"pp", "4"}, {"schedule", schedule}}, 4);
        const uint64_t boundaries = 4 * chunks - 1;
        CallSum sent;
        CallSum received;
        for (const ExecutionGraph& graph : job.graphs)
        {
            sent.count += SumMessages(graph, NodeType::Send).count;
            sent.bytes += SumMessages(graph, NodeType::Send).bytes;
            received.count += SumMessages(graph, NodeType::Receive).count;
        }
        CHECK(sent == CallSum{2 * BATCH * boundaries, 2 * BATCH * boundaries * ACTIVATION});
        CHECK(received.count == sent.count);
    }
    // With sequence parallelism each rank sends its part.
    const Workload cut = MakeSmall({{"pp", "2"}, {"tp", "2"}, {"sp", "on"}}, 4);
    CHECK(SumMessages(cut.graphs[0], NodeType::Send).bytes == BATCH * ACTIVATION / 2);
}

TEST_CASE("Transformer: an MoE layer exchanges top-k b s h twice in each direction",
          "[unit][workload]")
{
    const ModelValues moe{{"experts", "8"}, {"top-k", "2"}, {"ep", "4"}, {"vocabulary", "0"}};
    const Workload job = MakeSmall(moe, 4);
    const uint64_t layers = BATCH / 4 * LAYERS; // of a rank
    CHECK(SumCalls(job.graphs[0], EXCHANGE, "ep") ==
          CallSum{4 * layers, 4 * layers * 2 * ACTIVATION});
    ModelValues cut = moe;
    cut.insert({{"tp", "2"}, {"sp", "on"}, {"dense-layers", "2"}});
    const Workload half = MakeSmall(cut, 8);
    const uint64_t sparse = BATCH / 4 * (LAYERS - 2);
    CHECK(SumCalls(half.graphs[0], EXCHANGE, "ep") ==
          CallSum{4 * sparse, 4 * sparse * 2 * ACTIVATION / 2});
    // Forward the tokens that came are gathered, backward the gradient of what was sent. The tokens
    // are kept.
    CHECK(SumCalls(half.graphs[0], GATHER, "tp", "experts") ==
          CallSum{2 * sparse, 2 * sparse * 2 * ACTIVATION / 2});
    CHECK(job.communicators.size() == 1); // the expert group is all ranks; experts have no copies
    CHECK(SumCalls(job.graphs[0], REDUCE, "expert-dp").count == 0);
}

TEST_CASE("Transformer: gradients of experts are summed over the copies of an expert",
          "[unit][workload]")
{
    const Workload job =
        MakeSmall({{"experts", "8"}, {"ep", "2"}, {"vocabulary", "0"}, {"biases", "off"}}, 8);
    const uint64_t held = 8 / 2 * 8 * HIDDEN * HIDDEN; // experts of a rank, each 8 h^2
    CHECK(SumCalls(job.graphs[0], REDUCE, "expert-dp") == CallSum{LAYERS, LAYERS * held * 2});
    const auto& names = job.graphs[0].GroupNames();
    for (uint32_t group = 1; group < names.size(); ++group)
    {
        const auto& ranks = job.communicators[job.communicatorOfGroup[3][group].value].ranks;
        const std::vector<RankId> neighbours{RankId{2}, RankId{3}};
        const std::vector<RankId> odd{RankId{1}, RankId{3}, RankId{5}, RankId{7}};
        CAPTURE(names[group]);
        CHECK((names[group] != "ep" || ranks == neighbours));
        CHECK((names[group] != "expert-dp" || ranks == odd));
    }
}

TEST_CASE("Transformer: keys and values go around the context ring, backward with their gradients",
          "[unit][workload]")
{
    const Workload job = MakeSmall({{"cp", "4"}, {"kv-heads", "2"}, {"vocabulary", "0"}}, 4);
    const uint64_t block = SEQUENCE / 4 * 2 * (2 * HIDDEN / 8) * 2; // tokens, K and V, 2 heads
    const uint64_t layers = BATCH * LAYERS;
    const uint64_t messages = layers * (3 + 3 + 4);
    CHECK(SumMessages(job.graphs[0], NodeType::Send) == CallSum{messages, messages * block});
    CHECK(SumMessages(job.graphs[0], NodeType::Receive) == CallSum{messages, messages * block});
}

TEST_CASE("Transformer: with latent attention the keys and values of all heads go around the ring",
          "[unit][workload]")
{
    // Each rank makes keys and values of its own tokens' latent vectors only, so what the others
    // need of them is keys and values, as TransformerEngine passes them on (docs/workloads.md).
    const Workload job = MakeSmall({{"cp", "4"},
                                    {"tp", "2"},
                                    {"kv-rank", "16"},
                                    {"rope-head-size", "4"},
                                    {"value-head-size", "6"},
                                    {"vocabulary", "0"}},
                                   8);
    const uint64_t tokens = SEQUENCE / 4;
    const uint64_t heads = 8 / 2;
    const uint64_t key = HIDDEN / 8 + 4; // of a head, with its rotary part
    const uint64_t block = tokens * heads * (key + 6) * 2;
    const uint64_t rounds = BATCH * LAYERS;
    const auto sent = [&](const std::string& part)
    { return SumMessages(job.graphs[0], NodeType::Send, part); };
    CHECK(sent("") == CallSum{rounds * (3 + 3 + 4), rounds * (3 + 3 + 4) * block});
    CHECK(sent("gradients of keys and values") == CallSum{rounds * 4, rounds * 4 * block});
    // The work is that of a rank which has no ring: nothing that comes is computed anew.
    const uint64_t latent = 2 * tokens * 16 * heads * (HIDDEN / 8 + 6); // up to keys and values
    const uint64_t down = 2 * tokens * HIDDEN * (16 + 4);
    const uint64_t queries = 2 * tokens * HIDDEN * heads * key;
    const uint64_t out = 2 * tokens * heads * 6 * HIDDEN;
    CHECK(SumOperations(job.graphs[0], "layer 0 attention projections") ==
          BATCH * (latent + down + queries + out));
}
