// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/models/pipeline-schedule.h"
#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

#include <cstdint>
#include <optional>

namespace nadi
{

/// What becomes of the passes of each stage; nothing: it stays.
struct PassWish
{
    std::optional<uint32_t> microBatches; ///< that go through a copy in an iteration
    std::optional<PipelineSchedule> schedule;
};

/// The same job with other passes: each stage does those of its schedule, in its order
/// (ComputePasses). The first and the last micro-batch do what the recorded first and last ones do;
/// those between repeat the ones between in turn.
///
/// Dependencies keep their pattern: what a pass takes from the other pass of its micro-batch, and
/// from the pass before it in the order of the stage, comes from there again.
///
/// A graph that ranks share is changed once. Without a change the job is the same.
///
/// Throws ConfigError where no layers or no known schedule were found; for a number of
/// micro-batches that the schedule does not take; and where passes depend on each other in another
/// way. Requires: `structure` was found in `job`.
Workload ChangePasses(const Workload& job, const JobStructure& structure, const PassWish& wish);

} // namespace nadi
