// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/models/pipeline-schedule.h"
#include "workload/tools/structure/job-structure.h"
#include "workload/what-if/pipeline-maker.h"
#include "workload/workload.h"

#include <cstdint>
#include <optional>

namespace nadi
{

/// What becomes of the pipeline; nothing: it stays.
struct PipelineWish
{
    std::optional<uint32_t> stages;
    std::optional<uint32_t> microBatches; ///< that go through a copy in an iteration
    std::optional<PipelineSchedule> schedule;
    std::optional<uint32_t> chunks; ///< of layers on each stage, with the interleaved schedule
};

/// How the stages work, as it was found. Where no schedule was found, it is 1F1B.
Pipeline RecordedPipeline(const JobStructure& structure);

/// And how they are to work. Stages that become interleaved have two chunks each unless more are
/// wanted; others have one.
Pipeline WantedPipeline(const JobStructure& structure, const PipelineWish& wish);

/// Throws ConfigError: rounds of an interleaved schedule are whole, and only it has several chunks.
void CheckPipeline(const Pipeline& wanted);

/// The same job with another pipeline. Each stage does the passes of the schedule, in its order
/// (ComputePasses). The first and the last micro-batch do what the recorded first and last ones do;
/// those between repeat the ones between in turn.
///
/// With other stages or chunks, the first chunk of layers begins as the recorded first one, and the
/// last one ends as the recorded last one; those between have messages on both sides (ChunkSource).
/// Where a single stage was recorded, such messages are put in, of the size of what a layer hands
/// on (FindMessageBytes), and sums of a matrix that the ends share (FindTiedMatrix); where a single
/// one is wanted, they are taken out. Ranks are numbered as before: those that differ in their
/// stage alone stay as far apart. Every chunk keeps the number of its layers (ChangeLayers changes
/// it), and kernels of the optimizer grow with the parameters of the stage.
///
/// Dependencies keep their pattern: what a pass takes from the other pass of its micro-batch, from
/// the micro-batch before, and from the pass before it in the order of the stage, comes from there
/// again.
///
/// A graph that ranks share is changed once. Without a change the job is the same.
///
/// Throws ConfigError where no layers or no known schedule were found; for a number of
/// micro-batches that the schedule does not take; where what a layer hands on is unknown; where
/// passes depend on each other in another way; and where groups hold ranks of several stages, apart
/// from the first and the last. Requires: `structure` was found in `job`.
PipelineEdit
ChangePipeline(const Workload& job, const JobStructure& structure, const PipelineWish& wish);

} // namespace nadi
