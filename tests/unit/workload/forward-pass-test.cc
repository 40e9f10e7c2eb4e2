// SPDX-License-Identifier: GPL-2.0-only
#include "workload/model-preset.h"
#include "workload/models/forward-pass.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace nadi;

namespace
{

ForwardModel
ModelOf(const std::string& preset)
{
    const std::vector<ParameterSpec> specs = TransformerShape::ParameterSpecs();
    const ModelPreset* const found = FindModelPreset(preset);
    REQUIRE(found != nullptr);
    return {.shape = TransformerShape::Read(
                Parameters::Parse(specs, CompleteParameters(specs, found->parameters)))};
}

PassBatch
MakePassBatch(uint64_t sequences, uint64_t tokens, uint64_t context)
{
    PassBatch batch;
    for (uint64_t i = 0; i < sequences; ++i)
    {
        batch.Add(tokens, context, true);
    }
    return batch;
}

uint64_t
SumOperations(const ExecutionGraph& graph)
{
    uint64_t sum = 0;
    for (const ExecutionNode& node : graph.Nodes())
    {
        sum += node.operations;
    }
    return sum;
}

PassTask
WholePass(const ForwardModel& model, const PassBatch& batch)
{
    return {.lastLayer = model.shape.layers, .hasEmbedding = true, .hasHead = true, .batch = batch};
}

} // namespace

TEST_CASE("ForwardModel: keys and values of a token", "[unit][workload][serving]")
{
    CHECK(ModelOf("llama3-8b").KvBytesOfToken() == 131072);
    CHECK(ModelOf("llama3-70b").KvBytesOfToken() == 327680);
    CHECK(ModelOf("llama3-405b").KvBytesOfToken() == 516096);
    CHECK(ModelOf("mixtral-8x7b").KvBytesOfToken() == 131072);
    CHECK(ModelOf("deepseek-v3").KvBytesOfToken() == 70272);
    CHECK(ModelOf("qwen3-235b").KvBytesOfToken() == 192512);
    const ForwardModel opt = ModelOf("opt-66b");
    CHECK(512 * opt.KvBytesOfToken() == 1152 * 1024 * 1024); // 1.125 GiB
}

TEST_CASE("ForwardModel: the ranks together hold the weights of the model",
          "[unit][workload][serving]")
{
    for (const char* preset : {"llama3-8b", "mixtral-8x7b", "deepseek-v3", "gpt3-175b"})
    {
        const ForwardModel model = ModelOf(preset);
        CHECK(model.WeightBytes(model.shape, 0) == 2 * model.shape.Parameters());
    }
    // Norms, routers and latent projections down are on every rank of a tensor group; all else is
    // cut: within 2 % the eighth of the dense weights, and the sixteenth of the experts.
    ForwardModel cut = ModelOf("deepseek-v3");
    cut.tensor = 8;
    cut.expert = 16;
    cut.expertBytes = 1;
    const uint64_t experts =
        58 * 256 * cut.shape.MlpParameters(cut.shape.expertFfn); // 58 layers have experts
    const double dense = double(2 * (cut.shape.Parameters() - experts));
    const double expected = dense / 8 + double(experts) / 16;
    CHECK(double(cut.WeightBytes(cut.Parts().front(), 0)) == Approx(expected).epsilon(0.1));
}

TEST_CASE("ForwardModel: how many experts tokens reach", "[unit][workload][serving]")
{
    const auto reach = [](double tokens)
    { return std::lround(ExpectedDistinctExperts(256, 8, tokens)); };
    CHECK(reach(1) == 8);
    CHECK(reach(3) == 23);
    CHECK(reach(16) == 102);
    CHECK(reach(64) == 222);
    CHECK(reach(256) == 256);
}

TEST_CASE("PassBatch: a token attends to those before it and to itself",
          "[unit][workload][serving]")
{
    PassBatch batch;
    batch.Add(3, 10, false); // 11 + 12 + 13
    batch.Add(1, 7, true);
    CHECK(batch.tokens == 4);
    CHECK(batch.prefillPairs == 36);
    CHECK(batch.decodePairs == 8);
    CHECK(batch.keys == 13 + 8);
    CHECK(batch.sampled == 1);
}

TEST_CASE("ForwardPass: operations are those of the closed form", "[unit][workload][serving]")
{
    // A token multiplies each parameter of a matrix once: 2 operations. Norms, biases and the
    // lookup (a copy of h numbers) apart; the head works on the last token of a prompt.
    const ForwardModel model = ModelOf("llama3-8b");
    const TransformerShape& s = model.shape;
    const uint64_t tokens = 512;
    const PassBatch batch = MakePassBatch(1, tokens, 0);
    const ExecutionGraph graph = MakeForwardPass(model, s, WholePass(model, batch));
    const uint64_t matrices = s.layers * (s.hidden * (s.heads + 2 * s.kvHeads) * s.headSize +
                                          s.heads * s.headSize * s.hidden + 3 * s.hidden * s.ffn);
    const uint64_t core = s.layers * 4 * (tokens * (tokens + 1) / 2) * s.heads * s.headSize;
    CHECK(SumOperations(graph) ==
          2 * tokens * matrices + core + tokens * s.hidden + 2 * s.hidden * s.vocabulary);
}

TEST_CASE("ForwardPass: a model without a vocabulary has neither embedding nor head",
          "[unit][workload][serving]")
{
    ForwardModel model = ModelOf("llama3-8b");
    model.tensor = 8;
    const auto count = [&](NodeType type)
    {
        const PassTask task = WholePass(model, MakePassBatch(1, 1, 100));
        const ExecutionGraph graph = MakeForwardPass(model, model.Parts().front(), task);
        return std::ranges::count_if(
            graph.Nodes(), [type](const ExecutionNode& node) { return node.type == type; });
    };
    const auto kernels = count(NodeType::Compute);
    // Two in each layer, and one of the embedding.
    CHECK(count(NodeType::Collective) == 2 * 32 + 1);
    model.shape.vocabulary = 0;
    CHECK(count(NodeType::Collective) == 2 * 32);
    CHECK(count(NodeType::Compute) == kernels - 2);
}

TEST_CASE("ForwardPass: decode reads the weights once and the cache of each sequence",
          "[unit][workload][serving]")
{
    const ForwardModel model = ModelOf("llama3-8b");
    const ForwardCosts costs(model, model.shape);
    const PassBatch batch = MakePassBatch(16, 1, 999);
    CHECK(costs.AttentionCore(batch).work.bytes ==
          16 * 1000 * model.KvBytesOfLayer() + 16 * 32 * (128 + 128) * 2);
    const uint64_t weights = 3 * model.shape.hidden * model.shape.ffn * 2;
    CHECK(costs.Mlp(batch).work.bytes > weights);
    CHECK(costs.Mlp(batch).work.bytes < weights + weights / 100);
    // Experts: three tokens reach 23 of 256 in the mean, and only these are read.
    const ForwardModel moe = ModelOf("deepseek-v3");
    const ForwardCosts expertCosts(moe, moe.shape);
    const uint64_t expert = 3 * moe.shape.hidden * moe.shape.expertFfn * 2;
    const uint64_t bytes = expertCosts.Experts({.copies = 24, .distinct = 23}).work.bytes;
    CHECK(bytes > 23 * expert);
    CHECK(bytes < 24 * expert);
}

TEST_CASE(
    "ForwardPass: a latent prefill makes keys and values of the cached latents too, and reads "
    "them",
    "[unit][workload][serving]")
{
    // vLLM, MLACommonImpl::_compute_prefill_context: for each part of a prefill the latents of the
    // context, 512 numbers each, are multiplied with kv_b_proj, which leads up to 128 numbers of a
    // key and 128 of a value in each head.
    ForwardModel model = ModelOf("deepseek-v3");
    for (const uint32_t tensor : {1U, 4U})
    {
        CAPTURE(tensor);
        model.tensor = tensor;
        model.kvBytes = 1; // the cache has other numbers than the kernels
        const std::vector<TransformerShape> parts = model.Parts();
        const ForwardCosts costs(model, parts.front());
        const uint64_t heads = 128 / tensor;
        const uint64_t sequences = 2;
        const uint64_t tokens = 300;
        const uint64_t context = 1000;
        const Work first = costs.Projections(MakePassBatch(sequences, tokens, 0)).work;
        const Work later = costs.Projections(MakePassBatch(sequences, tokens, context)).work;
        const uint64_t rows = sequences * context;
        const uint64_t columns = heads * (128 + 128);
        CHECK(later.operations - first.operations == 2 * rows * 512 * columns);
        CHECK(later.bytes - first.bytes == 2 * (rows * 512 + 512 * columns + rows * columns));
        CHECK(later.kernels.size() == first.kernels.size() + 1);
        // Queries and outputs of the new tokens; keys, with 64 rotary numbers, and values of all.
        const uint64_t numbers = 128 + 64 + 128;
        CHECK(costs.AttentionCore(MakePassBatch(sequences, tokens, context)).work.bytes ==
              2 * sequences * heads * numbers * (tokens + context + tokens));
    }
}

TEST_CASE("ForwardPass: a latent decode works on the latents, beside a prefill as alone",
          "[unit][workload][serving]")
{
    const ForwardModel model = ModelOf("deepseek-v3");
    const ForwardCosts costs(model, model.shape);
    const PassBatch alone = MakePassBatch(4, 1, 999);
    PassBatch mixed = MakePassBatch(2, 300, 1000);
    const Work prefill = costs.Projections(mixed).work;
    mixed.Add(1, 999, true);
    // One more token meets each matrix once: nothing of its context is brought up.
    const TransformerShape& s = model.shape;
    const uint64_t matrices = s.hidden * 1536 + 1536 * 128 * 192 + s.hidden * 576 +
                              512 * 128 * 256 + 128 * 128 * s.hidden;
    CHECK(costs.Projections(mixed).work.operations - prefill.operations == 2 * matrices);
    CHECK(costs.Projections(alone).work.operations == 4 * 2 * matrices);
    // The core reads 576 numbers for each of 1000 tokens, whatever the heads. In each head a query
    // has 576 numbers too, and the sum of latents that comes out 512.
    CHECK(costs.AttentionCore(alone).work.bytes == 2 * (4 * 1000 * 576 + 4 * 128 * (576 + 512)));
    // vLLM, MLACommonImpl: queries without their rotary part are multiplied with W_UK, from 128 to
    // 512 numbers a head, and outputs with W_UV, from 512 to 128. Both matrices are read once.
    std::vector<KernelLaunch> products;
    for (const KernelLaunch& kernel : costs.Projections(alone).work.kernels)
    {
        if (kernel.op == KernelOp::BatchedGemm)
        {
            products.push_back(kernel);
        }
    }
    REQUIRE(products.size() == 2);
    for (const KernelLaunch& kernel : products)
    {
        CHECK(std::tuple(kernel.m, kernel.batch) == std::tuple(4U, 128U));
        CHECK(kernel.bytes == 2 * 128 * (4 * (128 + 512) + 128 * 512));
    }
    CHECK(std::tuple(products[0].n, products[0].k) == std::tuple(512U, 128U));
    CHECK(std::tuple(products[1].n, products[1].k) == std::tuple(128U, 512U));
}

TEST_CASE("ForwardPass: tensor parallelism sums twice a layer, and cuts the work",
          "[unit][workload][serving]")
{
    ForwardModel model = ModelOf("llama3-70b");
    const PassBatch batch = MakePassBatch(4, 100, 50);
    const auto whole = SumOperations(MakeForwardPass(model, model.shape, WholePass(model, batch)));
    model.tensor = 8;
    const std::vector<TransformerShape> parts = model.Parts();
    REQUIRE(parts.size() == 1);
    const ExecutionGraph graph = MakeForwardPass(model, parts.front(), WholePass(model, batch));
    const auto calls =
        std::count_if(graph.Nodes().begin(),
                      graph.Nodes().end(),
                      [](const ExecutionNode& node) { return node.type == NodeType::Collective; });
    CHECK(calls == 1 + 2 * 80);
    const uint64_t lookup = batch.tokens * model.shape.hidden; // every rank has it
    CHECK(8 * (SumOperations(graph) - lookup) == whole - lookup);
    for (const ExecutionNode& node : graph.Nodes())
    {
        if (node.type == NodeType::Collective)
        {
            CHECK(node.size == 400 * 8192 * 2);
        }
    }
}

TEST_CASE("ForwardPass: experts on several ranks take an exchange before and after",
          "[unit][workload][serving]")
{
    ForwardModel model = ModelOf("deepseek-v3");
    model.expert = 32;
    model.expertBytes = 1;
    const ExecutionGraph graph = MakeForwardPass(
        model, model.shape, {.firstLayer = 3, .lastLayer = 4, .batch = MakePassBatch(128, 1, 500)});
    std::vector<uint64_t> sizes;
    for (const ExecutionNode& node : graph.Nodes())
    {
        if (node.type == NodeType::Collective)
        {
            CHECK(node.collective == CollectiveType::AllToAll);
            sizes.push_back(node.size);
        }
    }
    // 8 copies of 7168 numbers of a byte and their 56 scales; on the way back of 2 bytes.
    CHECK(sizes == std::vector<uint64_t>{128 * 8 * 7392, 128 * 8 * 14336});
}

namespace
{

/// The operations and bytes of the kernels that a node names.
std::pair<uint64_t, uint64_t>
SumKernels(const ExecutionGraph& graph, const ExecutionNode& node)
{
    std::pair<uint64_t, uint64_t> sum;
    for (const KernelLaunch& kernel : graph.KernelsOf(node))
    {
        sum.first += kernel.operations;
        sum.second += kernel.bytes;
    }
    return sum;
}

/// The kernels of the first node of this name.
std::vector<KernelLaunch>
KernelsNamed(const ExecutionGraph& graph, const std::string& name)
{
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        if (graph.Name(index) == name)
        {
            return graph.KernelsOf(graph.Node(index));
        }
    }
    return {};
}

} // namespace

TEST_CASE("ForwardPass: a node has the operations and bytes of its kernels",
          "[unit][workload][serving]")
{
    for (const char* preset : {"llama3-70b", "deepseek-v3", "gpt3-175b", "mixtral-8x7b"})
    {
        for (const uint32_t expert : {1U, 4U})
        {
            ForwardModel model = ModelOf(preset);
            model.tensor = 2;
            model.expert = model.shape.experts > 0 ? expert : 1;
            model.expertBytes = 1;
            CAPTURE(preset, expert);
            PassBatch batch = MakePassBatch(3, 1, 70); // decode
            batch.Add(40, 5, true);
            batch.Add(25, 0, false);
            const ExecutionGraph graph =
                MakeForwardPass(model, model.Parts().front(), WholePass(model, batch));
            uint32_t computing = 0;
            for (const ExecutionNode& node : graph.Nodes())
            {
                if (node.type == NodeType::Compute)
                {
                    ++computing;
                    CHECK(SumKernels(graph, node) == std::pair(node.operations, node.size));
                }
            }
            CHECK(computing > 3 * model.shape.layers);
        }
    }
}

TEST_CASE("ForwardPass: kernels have the sizes of what a rank computes",
          "[unit][workload][serving]")
{
    // Llama 3 8B: h 4096, 32 heads of 128, 8 of keys and values, MLP of 14336, gated.
    ForwardModel model = ModelOf("llama3-8b");
    model.tensor = 4;
    model.elementType = NumberType::Bf16;
    model.kvType = NumberType::Fp8;
    const auto passOf = [&](const PassBatch& batch)
    {
        return MakeForwardPass(
            model, model.Parts().front(), {.lastLayer = 1, .hasHead = true, .batch = batch});
    };
    const auto gemm = [](uint64_t m, uint64_t n, uint64_t k)
    {
        return KernelLaunch{.op = KernelOp::Gemm,
                            .type = NumberType::Bf16,
                            .m = m,
                            .n = n,
                            .k = k,
                            .tp = 4,
                            .bytes = 2 * (m * k + k * n + m * n),
                            .operations = 2 * m * n * k};
    };
    const ExecutionGraph decode = passOf(MakePassBatch(6, 1, 99));
    // 8 query heads and 2 of keys and 2 of values on a rank.
    CHECK(KernelsNamed(decode, "attention projections") ==
          std::vector{gemm(6, 12 * 128, 4096), gemm(6, 4096, 1024)});
    CHECK(KernelsNamed(decode, "head") == std::vector{gemm(6, 128256 / 4, 4096)});
    const std::vector<KernelLaunch> mlp = KernelsNamed(decode, "mlp");
    REQUIRE(mlp.size() == 2);
    CHECK(std::tuple(mlp[0].m, mlp[0].n, mlp[0].k) == std::tuple(6U, 2 * 3584U, 4096U));
    CHECK(std::tuple(mlp[1].m, mlp[1].n, mlp[1].k) == std::tuple(6U, 4096U, 3584U));
    const std::vector<KernelLaunch> core = KernelsNamed(decode, "attention core");
    REQUIRE(core.size() == 1);
    CHECK(core[0].op == KernelOp::AttentionDecode);
    CHECK(core[0].type == NumberType::Fp8);
    CHECK(std::tuple(core[0].n, core[0].k, core[0].batch, core[0].context, core[0].tp) ==
          std::tuple(8U, 128U, 6U, 100U, 4U));

    // Two kinds of sequences in one batch are two kernels; equal sequences have their own context.
    PassBatch mixed = MakePassBatch(3, 50, 20);
    mixed.Add(1, 10, true);
    mixed.Add(1, 20, true);
    const std::vector<KernelLaunch> both = KernelsNamed(passOf(mixed), "attention core");
    REQUIRE(both.size() == 2);
    CHECK(both[0].op == KernelOp::AttentionPrefill);
    CHECK(std::tuple(both[0].m, both[0].batch, both[0].context) == std::tuple(150U, 3U, 70U));
    CHECK(both[1].op == KernelOp::AttentionDecode);
    CHECK(std::tuple(both[1].batch, both[1].context) == std::tuple(2U, 16U)); // (11 + 21) / 2
}

TEST_CASE("ForwardPass: experts are a grouped product", "[unit][workload][serving]")
{
    ForwardModel model = ModelOf("deepseek-v3");
    model.expert = 32;
    model.expertType = NumberType::Fp8;
    PassTask task{.firstLayer = 3, .lastLayer = 4, .batch = MakePassBatch(128, 1, 500)};
    task.routed = {{.copies = 1024, .load = {.copies = 900, .distinct = 7}, .results = 900}};
    const ExecutionGraph graph = MakeForwardPass(model, model.shape, task);
    const std::vector<KernelLaunch> experts = KernelsNamed(graph, "experts");
    REQUIRE(experts.size() == 2);
    for (const KernelLaunch& kernel : experts)
    {
        CHECK(kernel.op == KernelOp::GroupedGemm);
        CHECK(kernel.type == NumberType::Fp8);
        CHECK(std::tuple(kernel.m, kernel.batch, kernel.tp) == std::tuple(900U, 7U, 1U));
    }
    CHECK(std::tuple(experts[0].n, experts[0].k) == std::tuple(2 * 2048U, 7168U));
    CHECK(std::tuple(experts[1].n, experts[1].k) == std::tuple(7168U, 2048U));
    CHECK(KernelsNamed(graph, "router").front().op == KernelOp::Router);
    // Latent attention reads the latent vectors: 512 + 64 numbers for all 128 heads.
    const KernelLaunch core = KernelsNamed(graph, "attention core").front();
    CHECK(std::tuple(core.n, core.k) == std::tuple(128U, 576U));
}
