// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace nadi
{

/// In which order a stage does its passes; see ComputePasses.
enum class PipelineSchedule : uint8_t
{
    GPipe, ///< all forward passes, then all backward passes
    OneForwardOneBackward,
    Interleaved, ///< the same over several chunks of layers for each stage
};

/// "gpipe", "1f1b", "interleaved", as the parameter of the generator has them.
std::string_view ToText(PipelineSchedule schedule);

/// One pass of one micro-batch through one chunk of layers of a stage.
struct PipelinePass
{
    bool isForward = true;
    uint32_t microBatch = 0;
    uint32_t chunk = 0; ///< of the stage; 0 unless interleaved

    bool operator==(const PipelinePass&) const = default;
};

/// How the layers are cut into stages and chunks, and a batch into micro-batches.
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
/// Example of 1F1B: two stages and three micro-batches. Stage 0 does F0, F1, B0, F2, B1, B2; stage
/// 1 does F0, B0, F1, B1, F2, B2. Stage 0 runs one forward pass ahead, as B0 can only come after
/// stage 1's. Interleaved, with two stages, two chunks and four micro-batches, the forward passes
/// of a stage go through chunk 0 with micro-batches 0 and 1, then chunk 1 with 0 and 1, then chunk
/// 0 with 2 and 3, then chunk 1 with 2 and 3.
///
/// Holds: each micro-batch goes once forward and once backward through each chunk, and where passes
/// of equal length cost f and b and messages nothing, the stages stand still for (stages - 1) /
/// chunks * (f + b) each.
std::vector<PipelinePass> ComputePasses(const Pipeline& pipeline, uint32_t stage);

} // namespace nadi
