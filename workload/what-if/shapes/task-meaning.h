// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/what-if/shapes/block-works.h"
#include "workload/what-if/shapes/parameter-rules.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi
{

/// What the size of a collective, a message or an optimizer is in proportion to.
enum class AmountKind : uint8_t
{
    Fixed,
    Activation,      ///< tokens x hidden width
    ActivationShare, ///< of a rank of a tensor group
    Routed, ///< what experts get: of ranks that share them, a copy of a token for each of its own
    RoutedShare, ///< of a rank of a tensor group
    Tokens,
    Parameters,
    EmbeddingMatrix, ///< vocabulary x hidden width
    Updated,         ///< parameters that a rank's optimizer updates
};

/// What a size counts. Where copies share parameters, it is a shard, rounded up.
struct Amount
{
    AmountKind kind = AmountKind::Fixed;
    ParameterSet set = {};
    uint32_t copies = 1; ///< that share what is not of experts
    /// Ranks that have parts of the experts and shards of them: copies times the degree of experts.
    /// 0: experts are not shared.
    uint32_t expertRanks = 0;

    /// Throws ConfigError beyond 2^62.
    uint64_t Count(const ShapeSizes& part, const ParameterRules& rules) const;

    uint64_t ExpertCopies(const ShapeSizes& part) const
    {
        return expertRanks == 0 ? 1 : expertRanks / part.expert;
    }

    bool HasParameters() const
    {
        return kind == AmountKind::Parameters || kind == AmountKind::EmbeddingMatrix ||
               kind == AmountKind::Updated;
    }
};

/// What a collective of a tensor group does.
enum class TensorCall : uint8_t
{
    None,
    Gather, ///< of what a block takes in
    Sum,    ///< of what a block gives out
    Loss,
};

/// Where a task stands in its rank.
struct TaskPlace
{
    static constexpr uint32_t NO_PASS = UINT32_MAX;

    uint32_t pass = NO_PASS; ///< index into RankStructure::passes
    /// 0: what the forward pass has before its layers; then layers in its order; then what is after
    /// them. A backward pass goes through them from the last one on.
    uint32_t segment = 0;
    size_t order = 0; ///< among the tasks of the rank

    bool IsInPass() const
    {
        return pass != NO_PASS;
    }
};

/// What the sizes of a task count.
struct TaskMeaning
{
    TaskPlace place;
    std::optional<BlockWork> work; ///< of compute nodes of blocks
    /// Of other compute nodes of passes: what they work on, a number for each of these sizes'
    /// product.
    std::vector<SizeMeaning> region;
    std::vector<SizeMeaning> newRegion = {}; ///< after an edit, where that is another one
    Amount amount;                           ///< of all other tasks
    /// Of a call among all copies: the experts of its blocks, which other copies have.
    ParameterSet expertsBeside = {};
    bool isOptimizer = false;
    TensorCall call = TensorCall::None;
};

/// Whether a collective sums: an all-reduce or a reduce-scatter.
inline bool
IsSummingCall(const ExecutionNode& node)
{
    return node.collective == CollectiveType::AllReduce ||
           node.collective == CollectiveType::ReduceScatter;
}

/// What the tasks of one rank count, and the sizes that its kernels show.
struct RankMeaning
{
    std::vector<TaskMeaning> tasks; ///< by node
    std::vector<uint32_t> works;    ///< the nodes of blocks, in the order of the rank
    ShapeSizes seen;
    bool hasShards = false; ///< of parameters, which its copies gather
};

} // namespace nadi
