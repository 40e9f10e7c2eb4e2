// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/models/pipeline-schedule.h"
#include "workload/tools/structure/job-structure.h"
#include "workload/tools/structure/layer-spans.h"
#include "workload/what-if/what-if.h"
#include "workload/workload.h"

#include <cstdint>
#include <vector>

/// \file
/// What is found in a job after a part of its edits: as before in all that they left.
///
/// Layers without names are told by their repetition, and where each pass has a single one, whole
/// passes repeat as well. So what is found must be what is known. Where it is not, layers are
/// looked for by what they consisted of before. Where that does not help either, ConfigError is
/// thrown, which says what to write.

namespace nadi
{

/// How an edited job is known to be built before it is looked at again.
struct KnownParts
{
    uint32_t layers = 0; ///< of the whole model; 0: none were found, and nothing is known
    Pipeline pipeline;
    bool hasSchedule = false; ///< passes are in the order of the pipeline
    FoundDegrees degrees;
    std::vector<KnownLayer> kinds; ///< what its layers consist of
};

/// Requires: `found` was found in `job`.
KnownParts KnownPartsOf(const Workload& job, const JobStructure& found);

/// Once it has another pipeline, each chunk of which has as many layers as before.
void SetPipeline(KnownParts& known, const Pipeline& pipeline);

/// Of a job that was changed already. Throws ConfigError.
JobStructure FindAgain(const Workload& job, const WhatIf& wish, const KnownParts& known);

/// Once its shapes are other ones: in all but the degrees that changed. Its layers consist of other
/// tasks. Throws ConfigError.
JobStructure FindOfShapes(const Workload& job, const WhatIf& wish, const KnownParts& known);

} // namespace nadi
