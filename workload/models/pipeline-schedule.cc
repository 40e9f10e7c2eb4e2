// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/pipeline-schedule.h"

#include "common/check.h"

#include <algorithm>

namespace nadi
{

namespace
{

/// The k-th pass in one direction: rounds of `stages` micro-batches through each chunk in turn.
PipelinePass
FindPass(const Pipeline& pipeline, uint32_t k, bool isForward)
{
    if (pipeline.chunks == 1)
    {
        return {isForward, k, 0};
    }
    const uint32_t round = k / (pipeline.stages * pipeline.chunks);
    const uint32_t inRound = k % (pipeline.stages * pipeline.chunks);
    const uint32_t chunk = inRound / pipeline.stages;
    return {isForward,
            round * pipeline.stages + inRound % pipeline.stages,
            // Backward passes go through the chunks from the last one on.
            isForward ? chunk : pipeline.chunks - 1 - chunk};
}

/// How many forward passes go before the first backward pass.
///
/// But for GPipe, they keep the stage busy until the first micro-batch comes back from the last
/// chunk.
uint32_t
CountWarmUp(const Pipeline& pipeline, uint32_t stage)
{
    const uint32_t all = pipeline.microBatches * pipeline.chunks;
    const uint32_t stagesBehind = pipeline.stages - 1 - stage;
    switch (pipeline.schedule)
    {
    case PipelineSchedule::GPipe:
        return all;
    case PipelineSchedule::OneForwardOneBackward:
        return std::min(all, stagesBehind);
    case PipelineSchedule::Interleaved:
        break;
    }
    return std::min(all, 2 * stagesBehind + (pipeline.chunks - 1) * pipeline.stages);
}

} // namespace

std::string_view
ToText(PipelineSchedule schedule)
{
    switch (schedule)
    {
    case PipelineSchedule::GPipe:
        return "gpipe";
    case PipelineSchedule::Interleaved:
        return "interleaved";
    case PipelineSchedule::OneForwardOneBackward:
        break;
    }
    return "1f1b";
}

std::vector<PipelinePass>
ComputePasses(const Pipeline& pipeline, uint32_t stage)
{
    NADI_CHECK(stage < pipeline.stages);
    NADI_CHECK(pipeline.chunks == 1 || pipeline.microBatches % pipeline.stages == 0);
    const uint32_t all = pipeline.microBatches * pipeline.chunks;
    const uint32_t warmUp = CountWarmUp(pipeline, stage);
    std::vector<PipelinePass> passes;
    for (uint32_t k = 0; k < warmUp; ++k)
    {
        passes.push_back(FindPass(pipeline, k, true));
    }
    // Steady state: one forward pass, then one backward pass; at the end backward passes only.
    for (uint32_t k = 0; k < all; ++k)
    {
        if (warmUp + k < all)
        {
            passes.push_back(FindPass(pipeline, warmUp + k, true));
        }
        passes.push_back(FindPass(pipeline, k, false));
    }
    return passes;
}

} // namespace nadi
