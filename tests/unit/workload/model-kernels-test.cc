// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/parse-trace.h"
#include "tests/support/small-transformer.h"
#include "workload/trace-writer.h"

#include <catch2/catch.hpp>

#include <tuple>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// Whether each compute node names kernels that have its operations and bytes together.
void
CheckKernelsAddUp(const Workload& job)
{
    for (const ExecutionGraph& graph : job.graphs)
    {
        for (uint32_t index = 0; index < graph.NodeCount(); ++index)
        {
            const ExecutionNode& node = graph.Node(index);
            if (node.type != NodeType::Compute)
            {
                continue;
            }
            uint64_t operations = 0;
            uint64_t bytes = 0;
            for (const KernelLaunch& kernel : graph.KernelsOf(node))
            {
                operations += kernel.operations;
                bytes += kernel.bytes;
            }
            CAPTURE(graph.Name(index));
            // Rounds of a ring have their parts of the core, rounded up.
            CHECK(std::tuple(operations, bytes) == std::tuple(node.operations, node.size));
        }
    }
}

const std::vector<KernelLaunch>&
KernelsOfNode(const Workload& job, const std::string& part)
{
    const ExecutionGraph& graph = job.graphs.front();
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        if (NameHas(graph, index, part) && graph.Node(index).type == NodeType::Compute)
        {
            return graph.KernelsOf(graph.Node(index));
        }
    }
    FAIL("there is no such node");
    return graph.KernelsOf(graph.Node(0));
}

/// Of the first such node.
uint64_t
BytesOfNode(const Workload& job, const std::string& part)
{
    uint64_t bytes = 0;
    for (const KernelLaunch& kernel : KernelsOfNode(job, part))
    {
        bytes += kernel.bytes;
    }
    return bytes;
}

} // namespace

TEST_CASE("Models: kernels have the operations and bytes of their nodes", "[unit][workload]")
{
    CheckKernelsAddUp(MakeSmall({{"tp", "2"}, {"pp", "2"}}, 4));
    CheckKernelsAddUp(MakeSmall({{"cp", "4"}, {"recompute", "selective"}}, 4));
    CheckKernelsAddUp(MakeSmall({{"recompute", "full"}, {"zero", "1"}}, 2));
    const std::string width = "32";
    CheckKernelsAddUp(
        MakeSmall({{"experts", "4"}, {"top-k", "2"}, {"expert-ffn", width}, {"ep", "2"}}, 2));
    CheckKernelsAddUp(
        MakeModelJob("mlp", {{"layers", "3"}, {"widths", "16"}, {"batch", "8"}}, {2}));
    CheckKernelsAddUp(MakeModelJob("resnet-50", {{"batch", "8"}}, {2}));
    CheckKernelsAddUp(MakeModelJob("dlrm", WithPreset("dlrm", {{"batch", "2048"}}), {16, {16}}));
}

TEST_CASE("Transformer: gradients are products with the sizes in their places", "[unit][workload]")
{
    const Workload job = MakeSmall({{"tp", "2"}, {"recompute", "selective"}}, 2);
    // 32 tokens of 64 numbers; an MLP of 4 h, half of it on each rank.
    const auto sizesOf = [](const KernelLaunch& kernel)
    { return std::tuple(kernel.m, kernel.n, kernel.k); };
    const auto& forward = KernelsOfNode(job, "mlp");
    REQUIRE(forward.size() == 2);
    CHECK(sizesOf(forward[0]) == std::tuple(32U, 128U, 64U));
    CHECK(sizesOf(forward[1]) == std::tuple(32U, 64U, 128U));
    const auto& input = KernelsOfNode(job, "mlp input gradient");
    CHECK(sizesOf(input[0]) == std::tuple(32U, 64U, 128U));
    const auto& weight = KernelsOfNode(job, "mlp weight gradient");
    CHECK(sizesOf(weight[0]) == std::tuple(64U, 128U, 32U));
    CHECK(weight[0].operations == forward[0].operations);
    // Two products of the projections, the core once more, and its gradient of twice the cost.
    const auto& attention = KernelsOfNode(job, "attention input gradient");
    REQUIRE(attention.size() == 4);
    CHECK(attention[2].op == KernelOp::AttentionForward);
    CHECK(attention[3].op == KernelOp::AttentionBackward);
    CHECK(attention[3].operations == 2 * attention[2].operations);
    CHECK(std::tuple(attention[2].m, attention[2].n, attention[2].k, attention[2].context) ==
          std::tuple(32U, 4U, 8U, 32U));
    CHECK(KernelsOfNode(job, "optimizer").front().op == KernelOp::Optimizer);
}

TEST_CASE("Transformer: gradients of weights are written as numbers of their type",
          "[unit][workload]")
{
    const ModelValues model{
        {"tp", "2"}, {"sp", "on"}, {"dp", "2"}, {"ep", "2"}, {"experts", "4"}, {"top-k", "2"}};
    ModelValues wide = model;
    wide["gradient-dtype"] = "fp32";
    const Workload plain = MakeSmall(model, 4);
    const Workload other = MakeSmall(wide, 4);
    CheckKernelsAddUp(other);
    // Two bytes more for each number: half of the weights of two experts of the rank, the whole
    // router, half of the attention and of the head, and a row for each token.
    for (const auto& [part, numbers] :
         {std::pair<std::string, uint64_t>{"experts weight gradient",
                                           2 * 2 * HIDDEN * 4 * HIDDEN / 2},
          {"router weight gradient", HIDDEN * 4},
          {"attention weight gradient", 4 * HIDDEN * HIDDEN / 2},
          {"head weight gradient", VOCABULARY * HIDDEN / 2},
          {"embedding weight gradient", SEQUENCE * HIDDEN}})
    {
        CAPTURE(part);
        CHECK(BytesOfNode(other, part) == BytesOfNode(plain, part) + 2 * numbers);
    }
    for (const std::string part : {"experts input gradient", "attention input gradient"})
    {
        CAPTURE(part);
        CHECK(BytesOfNode(other, part) == BytesOfNode(plain, part));
    }
}

TEST_CASE("Kernels: the reader finds what was written", "[unit][workload]")
{
    const Workload job = MakeSmall({{"tp", "2"}}, 2);
    const ExecutionGraph& graph = job.graphs.front();
    const TraceFile read = ParseTrace(FormatTrace(graph), "test", DependencyPolicy::Both);
    REQUIRE(read.graph.NodeCount() == graph.NodeCount());
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        CHECK(read.graph.KernelsOf(read.graph.Node(index)) == graph.KernelsOf(graph.Node(index)));
    }
}

TEST_CASE("Kernels: a trace names those of compute nodes, and nodes share equal ones",
          "[unit][workload]")
{
    const auto node = [](uint64_t id, const std::string& kernels)
    { return test::Kernel(id).Text("kernels", kernels); };
    const TraceFile file = ParseNodes(
        {node(1, "gemm m=2"), test::Kernel(2), node(3, "gemm m=2"), node(4, "norm m=3")});
    const auto& first = file.graph.KernelsOf(file.graph.Node(0));
    CHECK(first == std::vector<KernelLaunch>{{.op = KernelOp::Gemm, .m = 2}});
    CHECK(file.graph.KernelsOf(file.graph.Node(1)).empty());
    CHECK(&file.graph.KernelsOf(file.graph.Node(2)) == &first);
    CHECK(file.graph.KernelsOf(file.graph.Node(3)).front().op == KernelOp::Norm);
    CHECK(
        NodeErrorOf(node(7, "matmul m=2")) ==
        "test.et: node 7 \"node\": kernels is \"matmul m=2\"; write kernels with their sizes, such "
        "as \"gemm bf16 k=4096 n=1024 m=16\", with \"; \" between them");
}
