// SPDX-License-Identifier: GPL-2.0-only
// Parameters and operations of generated transformers against the closed forms of the literature;
// docs/workloads.md has them with their sources.
#include "tests/support/small-transformer.h"
#include "workload/models/transformer-shape.h"

#include <catch2/catch.hpp>

using namespace nadi;
using namespace nadi::test;

namespace
{

TransformerShape
ShapeOf(const std::string& preset)
{
    const auto& specs = Registry<WorkloadModel>::Instance().Find("transformer")->parameters;
    return TransformerShape::Read(
        Parameters::Parse(specs, CompleteParameters(specs, FindModelPreset(preset)->parameters)));
}

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
    CHECK(static_cast<double>(ShapeOf("opt-66b").Parameters()) == Approx(66e9).epsilon(0.01));
    CHECK(static_cast<double>(ShapeOf("qwen3-235b").Parameters()) == Approx(235e9).epsilon(0.001));
    CHECK(static_cast<double>(ShapeOf("qwen3-235b").ActiveParameters()) ==
          Approx(22e9).epsilon(0.02));
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
        {{{"tp", "3"}}, 3}, // of 8 heads, an inner width of 256 and 128 tokens
        {{{"tp", "7"}, {"pp", "2"}}, 14},
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
