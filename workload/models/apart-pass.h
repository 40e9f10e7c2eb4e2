// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/models/forward-model.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// A part of a forward pass whose experts lie on other ranks than its attention (attention-FFN
/// disaggregation). The batch of each replica is cut into micro-batches, so that the attention of
/// one runs while the experts work on another, and while tokens are on their way.
///
/// In each layer with experts, each attention rank sends its tokens to each rank of experts, and
/// gets as many results back; ranks of experts send each other nothing. The copies of all tokens of
/// a micro-batch, in the order of the attention ranks, are dealt out to the ranks of experts in
/// turn. So no rank of experts gets more than one copy more than another, neither of an attention
/// rank nor of all.
struct ApartTask
{
    uint64_t firstLayer = 0; ///< of those written, counted over the model
    uint64_t lastLayer = 0;  ///< one past them
    bool hasEmbedding = false;
    bool hasHead = false;
    bool tellsLayers = false; ///< as PassTask: when all micro-batches have passed the layer
    std::vector<RankId> attention = {}; ///< all its ranks, replica by replica
    std::vector<RankId> experts = {};   ///< all their ranks
    /// By replica, then by micro-batch; equally many of each.
    std::vector<std::vector<PassBatch>> batches = {};

    uint32_t MicroBatches() const
    {
        return static_cast<uint32_t>(batches.front().size());
    }
};

/// The trace of an attention rank: of tensor rank `tensorRank` of a replica, which holds `part` of
/// each layer. It has the router and the shared experts too.
ExecutionGraph MakeAttentionPass(const ForwardModel& model,
                                 const TransformerShape& part,
                                 const ApartTask& task,
                                 uint32_t replica,
                                 uint32_t tensorRank);

/// The trace of the index-th rank of experts.
ExecutionGraph MakeExpertsPass(const ForwardModel& model, const ApartTask& task, uint32_t index);

} // namespace nadi
