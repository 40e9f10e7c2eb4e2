// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/what-if/counted-parameters.h"
#include "workload/what-if/sharded-sums.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi
{

/// The parameters of a rank after an edit over those before it, as a fraction of whole numbers.
struct ParameterShare
{
    uint64_t after = 1;
    uint64_t before = 1;

    /// Rounded half up.
    uint64_t Of(uint64_t number) const;
};

/// By group of the graph: whether gradients are summed on it over copies.
std::vector<bool> FindGradientGroups(const ExecutionGraph& graph, const RankStructure& rank);

/// Numbers that kernels of the optimizer work on; 0: they do not say.
uint64_t CountOptimizerNumbers(const ExecutionGraph& graph);

/// How much more the optimizer of a graph has to do where a rank has `after` in place of `before`.
///
/// Where its numbers are the shards of `before`, rounded up to whole numbers of one size, it has
/// exactly the shards of `after`. 1 where there was nothing before, or is nothing left.
ParameterShare
ShareBetween(const ExecutionGraph& graph, const ShardedSums& before, const ShardedSums& after);

/// What tells the parameters of a rank.
struct ParameterEvidence
{
    const std::optional<CountedParameters>& counted;
    GroupSizes sizes; ///< of the groups of its graph
};

/// The share of a rank whose layers are repeated in turn until there are `layers`.
///
/// The sums of gradients say how many parameters each layer has, and in how many shards ranks have
/// them. Where the rank sums none, it is what was counted; where nothing was, the operations of its
/// layers and of its other kernels in forward passes, and `isAssumed` is set.
ParameterShare FindParameterShare(const ExecutionGraph& graph,
                                  const RankStructure& rank,
                                  const ParameterEvidence& evidence,
                                  uint32_t layers,
                                  bool& isAssumed);

} // namespace nadi
