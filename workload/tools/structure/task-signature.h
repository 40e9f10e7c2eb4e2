// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/tools/structure/job-structure.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nadi
{

/// What a task is, apart from where it stands: equal for equal tasks of different layers.
using TaskSignature = uint64_t;

/// A kernel's name without the arguments of templates and functions, which change with the shapes;
/// names of matrix products (GEMM, cutlass) all become "gemm".
std::string ShortenKernelName(std::string_view name);

/// The signatures of tasks, in their order. Kernels: name, operations and size. Collectives: type,
/// size, group. Messages: type and size.
///
/// Where there is a name for less than eight kernels, as where names tell layer and micro-batch,
/// the digits in names count for nothing.
std::vector<TaskSignature> ComputeSignatures(const ExecutionGraph& graph, const TaskList& tasks);

/// By task.
using SignatureOfTask = std::map<uint32_t, TaskSignature>;

/// The signatures of a rank's kernels.
SignatureOfTask SignKernels(const ExecutionGraph& graph, const RankStructure& rank);

/// Whether a name says that the kernel is of a backward pass: "gradient", "backward", "dgrad".
bool NamesBackward(std::string_view name);

/// Likewise of an optimizer: "adam", "optimizer", "multi_tensor".
bool NamesOptimizer(std::string_view name);

} // namespace nadi
