// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/models/pipeline-schedule.h"
#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

#include <string>
#include <vector>

namespace nadi
{

/// A job with another pipeline, and what was assumed for it, a sentence each.
struct PipelineEdit
{
    Workload job;
    std::vector<std::string> notes;
};

/// Makes the stages of another pipeline of those recorded (ChangePipeline). A graph that ranks
/// share is made once.
///
/// Throws ConfigError as ChangePipeline. Requires: `wanted` is a possible pipeline, and `recorded`
/// is what was found in `job`.
PipelineEdit MakePipeline(const Workload& job,
                          const JobStructure& structure,
                          const Pipeline& recorded,
                          const Pipeline& wanted);

} // namespace nadi
