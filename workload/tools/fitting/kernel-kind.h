// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/kernels/kernel-models.h"
#include "workload/execution-graph.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace nadi
{

/// What a kernel does, by words in its name, as CUDA libraries, PyTorch and generators choose them:
/// "gemm" and "cutlass" are matrix products, "layer_norm" is a norm, "adam" an optimizer. A name of
/// which no word is known is KernelOp::Other.
KernelOp FindKernelKind(std::string_view name);

/// The kind of a compute node: by the kernels that it names, of several the one with most
/// operations, else by its name.
KernelOp FindNodeKind(const ExecutionGraph& graph, uint32_t index);
/// Likewise of a node apart from its graph.
KernelOp FindNodeKind(std::string_view name, const std::vector<KernelLaunch>& kernels);

/// What a compute node of an accelerator does: its kind by the kernels that it names, of several
/// the one with most operations, else by its name; its operations and bytes as the node counts
/// them, else those of its kernels together. Nothing for other nodes, and where neither is counted.
std::optional<KernelWork> FindKernelWork(const ExecutionGraph& graph, uint32_t index);
/// Likewise of a node apart from its graph.
std::optional<KernelWork> FindKernelWork(const ExecutionNode& node,
                                         std::string_view name,
                                         const std::vector<KernelLaunch>& kernels);

} // namespace nadi
