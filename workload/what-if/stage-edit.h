// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/models/pipeline-schedule.h"
#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// What becomes of the pipeline; nothing: it stays.
struct PipelineWish
{
    std::optional<uint32_t> stages;
    std::optional<uint32_t> microBatches; ///< that go through a copy in an iteration
    std::optional<PipelineSchedule> schedule;
};

/// A job with another pipeline, and what was assumed for it, a sentence each.
struct PipelineEdit
{
    Workload job;
    std::vector<std::string> notes;
};

/// The same job with another pipeline. Each stage does the passes of the schedule, in its order
/// (ComputePasses). The first and the last micro-batch do what the recorded first and last ones do;
/// those between repeat the ones between in turn.
///
/// With other stages, the first and the last one do what the recorded first and last do before and
/// after their layers, and those between do what recorded ones between do, in turn. A stage between
/// that no recording has receives as the last one does, sends as the first does, and sums nothing
/// with them. Ranks are numbered as before: those that differ in their stage alone stay as far
/// apart. Every stage keeps the number of its layers (ChangeLayers changes it).
///
/// Dependencies keep their pattern: what a pass takes from the other pass of its micro-batch, from
/// the micro-batch before, and from the pass before it in the order of the stage, comes from there
/// again.
///
/// A graph that ranks share is changed once. Without a change the job is the same.
///
/// Throws ConfigError where no layers or no known schedule were found; for a number of
/// micro-batches that the schedule does not take; for other stages than two or more on either side;
/// where passes depend on each other in another way; and where groups hold ranks of several stages,
/// apart from the first and the last. Requires: `structure` was found in `job`.
PipelineEdit
ChangePipeline(const Workload& job, const JobStructure& structure, const PipelineWish& wish);

} // namespace nadi
