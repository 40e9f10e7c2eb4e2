// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph-builder.h"
#include "workload/execution-graph.h"
#include "workload/job-limits.h"
#include "workload/tools/structure/job-structure.h"
#include "workload/what-if/parameter-share.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nadi
{

/// A graph of more tasks would take more memory than most machines have.
inline constexpr uint64_t MOST_NEW_TASKS = MOST_NODES;

/// A node apart from its dependencies, to be changed and added to another graph.
struct NodeCopy
{
    ExecutionNode node;
    std::string name;
    SharedSplits splits;
    std::vector<KernelLaunch> kernels;
    std::optional<SimTime> wait = {}; ///< of a recorded collective, a part of its duration

    /// A kernel that works on so many of the parameters.
    void ScaleWith(const ParameterShare& share);
};

NodeCopy CopyNode(const ExecutionGraph& graph, uint32_t node);

void AddCopy(NodeCopy copy, std::span<const uint64_t> dependencies, ExecutionGraphBuilder& builder);

/// The groups of the graph get the same numbers in the builder, which has none yet.
void AddGroups(const ExecutionGraph& graph, ExecutionGraphBuilder& builder);

/// By group of the graph: whether a collective is of it.
std::vector<bool> FindCalledGroups(const ExecutionGraph& graph);

/// The name, with signs behind it until no group of the graph has it.
std::string FreeGroupName(const ExecutionGraph& graph, std::string name);

/// The sizes of nodes, in their order.
std::vector<uint64_t> SizesOf(const ExecutionGraph& graph, const std::vector<uint32_t>& nodes);

/// What each node depends on, by index, in ascending order.
std::vector<std::vector<uint32_t>> FindParents(const ExecutionGraph& graph);

/// Whether each node but the first waits for the one before it, as calls on one stream of an
/// accelerator do. `parents` as FindParents has them.
bool IsChain(const std::vector<uint32_t>& nodes, const std::vector<std::vector<uint32_t>>& parents);

/// By node: the kernels of a rank behind its last sum of gradients, which are its last ones.
std::vector<bool> FindOptimizerKernels(const ExecutionGraph& graph, const RankStructure& rank);

} // namespace nadi
