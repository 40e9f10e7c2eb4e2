// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <vector>

namespace nadi
{

enum class PipelineSchedule : uint8_t
{
    GPipe, ///< all forward passes, then all backward passes
    OneForwardOneBackward,
    Interleaved, ///< the same over several chunks of layers for each stage
};

/// One pass of one micro-batch through one chunk of layers of a stage.
struct PipelinePass
{
    bool isForward = true;
    uint32_t microBatch = 0;
    uint32_t chunk = 0; ///< of the stage; 0 unless interleaved

    bool operator==(const PipelinePass&) const = default;
};

struct Pipeline
{
    PipelineSchedule schedule = PipelineSchedule::OneForwardOneBackward;
    uint32_t stages = 1;
    uint32_t chunks = 1; ///< for each stage; 1 unless interleaved
    uint32_t microBatches = 1;
};

/// What a stage does, in order.
///
/// GPipe: Huang et al., "GPipe", NeurIPS 2019. 1F1B: Narayanan et al., "PipeDream", SOSP 2019, in
/// its synchronous form. Interleaved: Narayanan et al., "Efficient large-scale language model
/// training on GPU clusters using Megatron-LM", SC 2021, section 2.2: micro-batches go in rounds of
/// `stages` through each chunk in turn.
///
/// Holds: each micro-batch goes once forward and once backward through each chunk, and where passes
/// of equal length cost f and b and messages nothing, the stages stand still for
/// (stages - 1) / chunks * (f + b) each.
///
/// Requires: stage < stages; interleaved: stages divides microBatches.
std::vector<PipelinePass> ComputePasses(const Pipeline& pipeline, uint32_t stage);

} // namespace nadi
