// SPDX-License-Identifier: GPL-2.0-only
// Scopes of the host, which conversions pass on to kernels, and what the structure takes from them.
#include "tests/support/pytorch-bench.h"
#include "tests/support/trace-bytes.h"
#include "workload/document/node-attributes.h"
#include "workload/tools/editing/node-anonymiser.h"
#include "workload/tools/editing/trace-job.h"
#include "workload/tools/structure/job-analysis.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace nadi::test
{

namespace
{

using Scopes = std::vector<std::string>;
using Json = KinetoText::Json;

constexpr uint32_t SCOPED_LAYERS = 3;

/// A training step as PyTorch records it with modules: two products in each layer, whose kernels
/// have names of their own, so that nothing but the scopes tells layers.
class ScopedStep
{
  public:
    KinetoText Make()
    {
        const double begin = m_now;
        for (uint32_t layer = 0; layer < SCOPED_LAYERS; ++layer)
        {
            AddForward(fmt::format("nn.Module: Block_{}", layer), 2);
        }
        AddForward("nn.Module: Head_0", 1);
        AddFrame("python_function", "nn.Module: Net_0", begin);
        AddFrame("user_annotation", "## forward ##", begin);
        AddBackward(1);
        for (uint32_t layer = 0; layer < SCOPED_LAYERS; ++layer)
        {
            AddBackward(2);
            AddStep("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad",
                    "sum",
                    BACKWARD_THREAD,
                    Json::object());
        }
        const double step = m_now;
        AddStep("aten::_fused_adam_", "fused", KinetoText::THREAD, Json::object());
        AddFrame("user_annotation", "Optimizer.step#Adam.step", step);
        return std::move(m_text);
    }

  private:
    static constexpr int64_t BACKWARD_THREAD = KinetoText::THREAD + 1;

    void AddFrame(const std::string& category, const std::string& name, double begin)
    {
        m_text.Add(category, name, begin, m_now - begin, Json::object(), KinetoText::THREAD);
    }

    /// An operator of five microseconds that launches a kernel.
    void AddStep(const std::string& name, const std::string& kernel, int64_t thread, Json args)
    {
        ++m_correlation;
        m_text.Operator(name, m_now, 5, std::move(args), thread)
            .Call("cudaLaunchKernel", m_now + 1, 1, m_correlation, thread)
            .Kernel(kernel, m_now + 3, 2, m_correlation, 7);
        m_now += 5;
    }

    void AddForward(const std::string& module, uint32_t products)
    {
        const double begin = m_now;
        for (uint32_t each = 0; each < products; ++each)
        {
            AddStep("aten::mm",
                    fmt::format("product {}", each),
                    KinetoText::THREAD,
                    {{"Sequence number", m_sequence++}});
        }
        AddFrame("python_function", module, begin);
    }

    void AddBackward(uint32_t products)
    {
        for (uint32_t each = 0; each < products; ++each)
        {
            AddStep("autograd::engine::evaluate_function: MmBackward0",
                    fmt::format("gradual {}", each),
                    BACKWARD_THREAD,
                    {{"Fwd thread id", 1}, {"Sequence number", --m_sequence}});
        }
    }

    KinetoText m_text;
    double m_now = 10;
    uint64_t m_correlation = 0;
    uint64_t m_sequence = 0;
};

std::vector<ChakraProtoMsg::Node>
KernelsOf(const TraceDocument& document)
{
    std::vector<ChakraProtoMsg::Node> kernels;
    for (const ChakraProtoMsg::Node& node : document.nodes)
    {
        if (GetAttribute(node, NodeAttribute::IsCpu) != AttributeValue(true))
        {
            kernels.push_back(node);
        }
    }
    return kernels;
}

JobStructure
FindWrittenStructure(const TraceDocument& document, const std::string& name)
{
    const ScratchFolder folder(name);
    folder.Write("job.0.et", FormatDocument(document));
    return FindStructure(ReadTraceJob({folder.At("job.0.et")}, std::nullopt), {});
}

} // namespace

TEST_CASE("PyTorch: kernels carry the scopes of the host around their launch",
          "[unit][trace-tools]")
{
    const ConvertedRank converted(ScopedStep().Make());
    const auto kernels = KernelsOf(converted.Document());
    REQUIRE(kernels.size() == 2 * SCOPED_LAYERS + 1 + 1 + 3 * SCOPED_LAYERS + 1);
    CHECK(GetScopes(kernels[2]) ==
          Scopes{"## forward ##", "nn.Module: Net_0", "nn.Module: Block_1"});
    // The first step back is that of the head, then come those of the last layer.
    CHECK(GetScopes(kernels[2 * SCOPED_LAYERS + 2]) ==
          Scopes{"autograd::engine::evaluate_function: MmBackward0",
                 "## forward ##",
                 "nn.Module: Net_0",
                 "nn.Module: Block_2"});
    CHECK(GetScopes(kernels.back()) == Scopes{"Optimizer.step#Adam.step"});
}

TEST_CASE("Anonymisation: scopes stay, under other names", "[unit][trace-tools]")
{
    const ConvertedRank converted(ScopedStep().Make());
    ChakraProtoMsg::Node kernel = KernelsOf(converted.Document())[2];
    NeutralNames names;
    NeutralNames texts;
    NeutralNames attributes;
    AnonymiseNode(kernel, {names, texts, attributes});
    const Scopes hidden = GetScopes(kernel);
    REQUIRE(hidden.size() == 3);
    CHECK(std::ranges::none_of(
        hidden, [](const std::string& scope) { return scope.find("Block") != std::string::npos; }));
}

TEST_CASE("PyTorch: without scopes of the host kernels have no such attribute",
          "[unit][trace-tools]")
{
    KinetoText text;
    text.Add("user_annotation", "ProfilerStep#3", 0, 30, Json::object(), KinetoText::THREAD)
        .Add("user_annotation", "nccl:all_reduce", 0, 30, Json::object(), KinetoText::THREAD)
        .Add("python_function", "train.py(3): step", 0, 30, Json::object(), KinetoText::THREAD)
        .Operator("aten::mm", 0, 10)
        .Launch("product", 1, 3, 4, 1, 7);
    const ConvertedRank converted(text);
    CHECK(GetScopes(converted.The("product")).empty());
    CHECK(FindNamed(converted.The("product"), "scopes") == nullptr);
}

TEST_CASE("PyTorch: an operator within a step of the backward pass is not the one it goes back to",
          "[unit][trace-tools]")
{
    // Both have one sequence number, and so has nothing before the step.
    KinetoText text;
    text.Operator("autograd::engine::evaluate_function: X", 0, 100, {{"Sequence number", 5}})
        .Operator("aten::mm", 10, 50, {{"Sequence number", 5}})
        .Launch("product", 12, 14, 4, 1, 7);
    const ConvertedRank converted(text);
    CHECK(GetScopes(converted.The("product")) == Scopes{"autograd::engine::evaluate_function: X"});
}

TEST_CASE("FindStructure: scopes of the host tell layers, passes and the optimizer",
          "[unit][trace-tools]")
{
    const ConvertedRank converted(ScopedStep().Make());
    const JobStructure found = FindWrittenStructure(converted.Document(), "scoped-structure");
    CHECK(found.layers == SCOPED_LAYERS);
    CHECK(found.evidence == StructureEvidence::Scopes);
    CHECK(found.hasBackward);
    const RankStructure& rank = found.ranks[0];
    REQUIRE(rank.passes.size() == 2);
    CHECK(rank.passes[0].isForward);
    CHECK_FALSE(rank.passes[1].isForward);
    for (const LayerRunPass& pass : rank.passes)
    {
        REQUIRE(pass.layers.size() == SCOPED_LAYERS);
        for (const LayerPass& layer : pass.layers)
        {
            CHECK(layer.tasks.size() == (pass.isForward ? 2 : 3)); // and the sum of the gradient
        }
    }
    CHECK(rank.passes[1].layers[0].layer == SCOPED_LAYERS - 1);
    CHECK(rank.optimizer.size() == 1);
}

TEST_CASE("ReadScope: what names of scopes say", "[unit][trace-tools]")
{
    const NodeScope forward = ReadScope({"## forward ##", "nn.Module: BertLayer_4", "layer 9"});
    CHECK(forward.layer == 4U);
    CHECK_FALSE(forward.isBackward);
    CHECK_FALSE(forward.isOptimizer);
    CHECK(ReadScope({"## backward ##"}).isBackward);
    CHECK_FALSE(ReadScope({"forward_backward_step"}).isBackward);
    CHECK(ReadScope({"Optimizer.step#Adam.step"}).isOptimizer);
    CHECK_FALSE(ReadScope({"Optimizer.zero_grad#Adam.zero_grad"}).isOptimizer);
    CHECK_FALSE(ReadScope({"nn.Module: LayerNorm_4"}).layer.has_value());
}

} // namespace nadi::test
