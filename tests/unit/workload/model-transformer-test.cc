// SPDX-License-Identifier: GPL-2.0-only
// Parameters, operations and bytes of generated transformers against the closed forms of the
// literature; docs/workloads.md has them with their sources.
#include "common/error.h"
#include "tests/support/config-error-text.h"
#include "tests/support/model-bench.h"
#include "workload/models/transformer.h"

#include <catch2/catch.hpp>

#include <set>

using namespace nadi;
using namespace nadi::test;

namespace
{

const auto REDUCE = CollectiveType::AllReduce;
const auto GATHER = CollectiveType::AllGather;
const auto SCATTER = CollectiveType::ReduceScatter;
const auto EXCHANGE = CollectiveType::AllToAll;

TransformerShape
ShapeOf(const std::string& preset)
{
    const auto& specs = Registry<WorkloadModel>::Instance().Find("transformer")->parameters;
    return TransformerShape::Read(
        Parameters::Parse(specs, CompleteParameters(specs, FindModelPreset(preset)->parameters)));
}

/// A small GPT: every degree below divides its numbers.
constexpr uint64_t LAYERS = 8;
constexpr uint64_t HIDDEN = 64;
constexpr uint64_t SEQUENCE = 32;
constexpr uint64_t VOCABULARY = 128;
constexpr uint64_t BATCH = 16;

Workload
MakeSmall(ModelValues values, uint32_t ranks)
{
    values.merge(ModelValues{{"layers", "8"},
                             {"hidden", "64"},
                             {"heads", "8"},
                             {"sequence", "32"},
                             {"vocabulary", "128"},
                             {"batch", "16"}});
    return MakeModelJob("transformer", values, {ranks});
}

/// Activations of a micro-batch of one sequence, in bytes of bf16.
constexpr uint64_t ACTIVATION = SEQUENCE * HIDDEN * 2;

/// Of the operations, those of products of matrices: without lookups of the embedding and the
/// optimizer.
uint64_t
MatrixOperations(const Workload& job)
{
    return SumAllOperations(job) - SumAllOperations(job, "embedding") -
           SumAllOperations(job, "optimizer");
}

} // namespace

TEST_CASE("Transformer: the presets have the parameters of the released models", "[unit][workload]")
{
    // Llama, Mixtral: the sizes of the released weights. DeepSeek-V3: 671 026 419 200 without the
    // 256 bias terms of each of 58 routers, which no gradient trains.
    CHECK(ShapeOf("llama3-8b").Parameters() == 8'030'261'248);
    CHECK(ShapeOf("llama3-70b").Parameters() == 70'553'706'496);
    CHECK(ShapeOf("llama3-405b").Parameters() == 405'853'388'800);
    CHECK(ShapeOf("mixtral-8x7b").Parameters() == 46'702'792'704);
    CHECK(ShapeOf("mixtral-8x22b").Parameters() == 140'620'634'112);
    CHECK(ShapeOf("deepseek-v3").Parameters() == 671'026'419'200 - 58 * 256);
    // Active: 12.9 B (Mixtral of Experts, section 1), 37 B (DeepSeek-V3, section 1), both rounded.
    CHECK(static_cast<double>(ShapeOf("mixtral-8x7b").ActiveParameters()) ==
          Approx(12.9e9).margin(0.05e9));
    CHECK(static_cast<double>(ShapeOf("deepseek-v3").ActiveParameters()) ==
          Approx(37e9).margin(0.6e9));
}

TEST_CASE("Transformer: a GPT has 12 l h^2 (1 + 13/(12h) + (V + s)/(12 l h)) + 2 h parameters",
          "[unit][workload]")
{
    // Narayanan et al., SC 2021, equation 2, and the last layer norm, which it leaves out.
    for (const std::string preset : {"gpt3-175b", "transformer-17b", "transformer-1t"})
    {
        CAPTURE(preset);
        const TransformerShape s = ShapeOf(preset);
        CHECK(s.Parameters() == 12 * s.layers * s.hidden * s.hidden + 13 * s.layers * s.hidden +
                                    (s.vocabulary + s.sequence) * s.hidden + 2 * s.hidden);
    }
    // What their names say, in billions: rounded by their authors to 3 %.
    CHECK(static_cast<double>(ShapeOf("gpt3-175b").Parameters()) == Approx(175e9).epsilon(0.03));
    CHECK(static_cast<double>(ShapeOf("transformer-17b").Parameters()) ==
          Approx(17e9).epsilon(0.03));
    // "1008.0 billion" (SC 2021, table 1)
    CHECK(static_cast<double>(ShapeOf("transformer-1t").Parameters()) ==
          Approx(1008.0e9).margin(0.05e9));
}

TEST_CASE("Transformer: a step costs 96 B s l h^2 (1 + s/(6h) + V/(16 l h)) operations with full "
          "recomputation, 72 B s l h^2 (1 + s/(6h) + V/(12 l h)) without",
          "[unit][workload]")
{
    // Narayanan et al., SC 2021, section 5.1 (equation 3), however the job is cut.
    const std::vector<std::pair<ModelValues, uint32_t>> cuts{
        {{}, 1},
        {{{"tp", "4"}}, 4},
        {{{"tp", "2"}, {"sp", "on"}, {"cp", "2"}}, 8},
        {{{"pp", "4"}, {"schedule", "interleaved"}}, 4},
        {{{"tp", "2"}, {"pp", "2"}, {"micro-batch", "2"}}, 8}};
    const uint64_t tokens = BATCH * SEQUENCE;
    const uint64_t squares = tokens * LAYERS * HIDDEN * HIDDEN;
    const uint64_t core = tokens * LAYERS * HIDDEN * SEQUENCE;
    const uint64_t head = 6 * tokens * HIDDEN * VOCABULARY;
    for (const auto& [cut, ranks] : cuts)
    {
        CAPTURE(cut, ranks);
        CHECK(MatrixOperations(MakeSmall(cut, ranks)) == 72 * squares + 12 * core + head);
        ModelValues full = cut;
        full["recompute"] = "full";
        CHECK(MatrixOperations(MakeSmall(full, ranks)) == 96 * squares + 16 * core + head);
        ModelValues selective = cut; // the core of the attention once more, forward
        selective["recompute"] = "selective";
        CHECK(MatrixOperations(MakeSmall(selective, ranks)) == 72 * squares + 16 * core + head);
    }
}

TEST_CASE("Transformer: a step of GPT-3 costs 6 N D operations and the attention's s/(6h) more",
          "[unit][workload]")
{
    const Workload job = MakeModelJob(
        "transformer",
        WithPreset("gpt3-175b",
                   {{"tp", "8"}, {"pp", "8"}, {"batch", "8"}, {"vocabulary", "50264"}}),
        {64});
    const TransformerShape s = ShapeOf("gpt3-175b");
    const double estimate = 6.0 * static_cast<double>(s.Parameters()) * 8 * 2048;
    const double attention = 2048.0 / (6 * 12288);
    // Positions, biases and norms are in N, but in no product: (s + 14 l) h of N, less than 0.05 %.
    const double ratio = static_cast<double>(MatrixOperations(job)) / estimate;
    CHECK(ratio < 1 + attention);
    CHECK(ratio > 1 + attention - 0.0015);
}

TEST_CASE("Transformer: of an MoE, the experts that a token meets count", "[unit][workload]")
{
    const auto values = WithPreset("mixtral-8x7b",
                                   {{"layers", "4"},
                                    {"sequence", "256"},
                                    {"batch", "8"},
                                    {"tp", "2"},
                                    {"sp", "on"},
                                    {"ep", "4"},
                                    {"pp", "2"}});
    TransformerShape s = ShapeOf("mixtral-8x7b");
    s.layers = 4;
    const uint64_t tokens = 8 * 256;
    const uint64_t matrices = s.ActiveParameters() - s.vocabulary * s.hidden // looked up
                              - (2 * s.layers + 1) * s.hidden;               // norms
    const uint64_t core = 3 * 4 * tokens * 256 * s.heads * s.headSize * s.layers;
    CHECK(MatrixOperations(MakeModelJob("transformer", values, {16})) ==
          6 * tokens * matrices + core);
}

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
              }) == "tp: tp 3 does not divide the heads, 8; write a divisor of 8");
    CHECK(ConfigErrorText([&] { make({}); }) ==
          "tp: 0 is the first dimension of a stack, and there is none; write system.dimensions, or "
          "a number from 1");
}

TEST_CASE("Transformer: micro-batch 0 is all sequences of a copy at once", "[unit][workload]")
{
    const auto sums = [](const std::string& microBatch)
    {
        const Workload job = MakeSmall({{"tp", "2"}, {"micro-batch", microBatch}}, 8);
        return SumCalls(job.graphs[0], REDUCE, "tp");
    };
    CHECK(sums("0") == sums("4")); // of 16 sequences over four copies
    CHECK(sums("0").count < sums("2").count);
    CHECK(ConfigErrorText(
              [] {
                  MakeSmall({{"micro-batch", "0"}, {"batch", "18"}}, 8);
              }) == "batch: dp 8 does not divide batch 18; write a divisor of 18");
    CHECK(ConfigErrorText(
              [] {
                  MakeSmall({{"micro-batch", "0"}, {"batch", "0"}}, 8);
              }) == "micro-batch: is 0, and so is batch; write one of them");
}

TEST_CASE("Transformer: what does not fit is named at its parameter", "[unit][workload]")
{
    const auto error = [](const ModelValues& values, uint32_t ranks = 8)
    { return ConfigErrorText([&] { MakeSmall(values, ranks); }); };
    CHECK(error({{"tp", "3"}}) == "tp: tp 3 does not divide the heads, 8; write a divisor of 8");
    CHECK(error({{"pp", "16"}}) == "pp: 16 stages of 1 chunks want 16 layers at least, but there "
                                   "are 8; write fewer");
    CHECK(error({{"dp", "3"}, {"batch", "12"}}) ==
          "dp: tp 1 x cp 1 x dp 3 x pp 1 is not the 8 ranks of the job; "
          "write factors whose product it is");
    CHECK(error({{"batch", "12"}}) ==
          "batch: dp x micro-batch 8 does not divide batch 12; write a divisor of 12");
    CHECK(error({{"ep", "2"}}) == "ep: there are no experts to share out; write experts, or remove "
                                  "ep");
    CHECK(error({{"experts", "8"}, {"tp", "2"}}) ==
          "sp: experts beside tp need sequence parallelism, so that each token is routed once; "
          "write sp: on");
    CHECK(error({{"zero", "4"}}) == "zero: there is no stage 4; write 0 to 3");
    CHECK(error({{"heads", "5"}}) ==
          "heads: heads 5 does not divide hidden 64; write a divisor of 64");
    CHECK(error({{"kv-rank", "0"}, {"query-rank", "5"}}) ==
          "kv-rank: is 0, but query-rank, rope-head-size and value-head-size are for latent "
          "attention; write kv-rank, or remove them");
    CHECK(error({{"pp", "4"}, {"schedule", "interleaved"}, {"batch", "12"}}, 4) == "");
    CHECK(error({{"pp", "4"}, {"schedule", "interleaved"}, {"batch", "6"}}, 4) ==
          "batch: pp, with schedule interleaved, 4 does not divide the micro-batches of a step, 6; "
          "write a divisor of 6");
    CHECK(error({{"layers", "16777216"}, {"hidden", "16777216"}}) ==
          "layers: has more than 10^18 parameters with these widths; write smaller numbers");
}
