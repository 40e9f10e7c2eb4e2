// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/fitting/kernel-kind.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

namespace nadi
{

namespace
{

struct KindWord
{
    std::string_view word;
    KernelOp kind;
};

/// What is earlier goes before what is later: "softmax_backward_flash" is attention.
constexpr std::array KIND_WORDS{KindWord{"memcpy", KernelOp::Copy},
                                KindWord{"memset", KernelOp::Copy},
                                KindWord{"flash", KernelOp::AttentionForward},
                                KindWord{"fmha", KernelOp::AttentionForward},
                                KindWord{"attention", KernelOp::AttentionForward},
                                KindWord{"softmax", KernelOp::Softmax},
                                KindWord{"layernorm", KernelOp::Norm},
                                KindWord{"layer_norm", KernelOp::Norm},
                                KindWord{"rmsnorm", KernelOp::Norm},
                                KindWord{"rms_norm", KernelOp::Norm},
                                KindWord{"batch_norm", KernelOp::Norm},
                                KindWord{"adam", KernelOp::Optimizer},
                                KindWord{"optimizer", KernelOp::Optimizer},
                                KindWord{"multi_tensor", KernelOp::Optimizer},
                                KindWord{"gemm", KernelOp::Gemm},
                                KindWord{"cutlass", KernelOp::Gemm},
                                KindWord{"matmul", KernelOp::Gemm},
                                KindWord{"mlp", KernelOp::Gemm},
                                KindWord{"projections", KernelOp::Gemm},
                                KindWord{"norm", KernelOp::Norm},
                                KindWord{"copy", KernelOp::Copy},
                                KindWord{"elementwise", KernelOp::Elementwise},
                                KindWord{"triton_poi", KernelOp::Elementwise},
                                KindWord{"triton__", KernelOp::Elementwise},
                                KindWord{"gelu", KernelOp::Elementwise},
                                KindWord{"silu", KernelOp::Elementwise},
                                KindWord{"relu", KernelOp::Elementwise},
                                KindWord{"dropout", KernelOp::Elementwise}};

std::string
LowerKernelName(std::string_view text)
{
    std::string lower(text);
    std::ranges::transform(
        lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower;
}

bool
IsBackwardName(const std::string& lower)
{
    return lower.find("backward") != std::string::npos || lower.find("bwd") != std::string::npos ||
           lower.find("gradient") != std::string::npos;
}

/// The kind of what takes most.
KernelOp
KindOfMost(const std::vector<KernelLaunch>& kernels)
{
    // Bytes decide among kernels of equally many operations, such as none.
    const auto most = std::ranges::max_element(
        kernels,
        {},
        [](const KernelLaunch& kernel) { return std::pair(kernel.operations, kernel.bytes); });
    return most->op;
}

} // namespace

KernelOp
FindKernelKind(std::string_view name)
{
    const std::string lower = LowerKernelName(name);
    const auto found = std::ranges::find_if(
        KIND_WORDS,
        [&lower](const KindWord& entry) { return lower.find(entry.word) != std::string::npos; });
    if (found == KIND_WORDS.end())
    {
        return KernelOp::Other;
    }
    // Only attention has a kind of its own for the backward pass.
    return found->kind == KernelOp::AttentionForward && IsBackwardName(lower)
               ? KernelOp::AttentionBackward
               : found->kind;
}

KernelOp
FindNodeKind(std::string_view name, const std::vector<KernelLaunch>& kernels)
{
    return kernels.empty() ? FindKernelKind(name) : KindOfMost(kernels);
}

KernelOp
FindNodeKind(const ExecutionGraph& graph, uint32_t index)
{
    return FindNodeKind(graph.Name(index), graph.KernelsOf(graph.Node(index)));
}

std::optional<KernelWork>
FindKernelWork(const ExecutionNode& node,
               std::string_view name,
               const std::vector<KernelLaunch>& kernels)
{
    if (node.type != NodeType::Compute || node.isCpu)
    {
        return std::nullopt;
    }
    KernelWork work{FindNodeKind(name, kernels), node.operations, node.size};
    // Where the node counts one of the two, the other one is 0 indeed and not unknown.
    if (work.operations == 0 && work.bytes == 0)
    {
        for (const KernelLaunch& kernel : kernels)
        {
            work.operations += kernel.operations;
            work.bytes += kernel.bytes;
        }
    }
    return work.operations == 0 && work.bytes == 0 ? std::nullopt : std::optional(work);
}

std::optional<KernelWork>
FindKernelWork(const ExecutionGraph& graph, uint32_t index)
{
    const ExecutionNode& node = graph.Node(index);
    return FindKernelWork(node, graph.Name(index), graph.KernelsOf(node));
}

} // namespace nadi
