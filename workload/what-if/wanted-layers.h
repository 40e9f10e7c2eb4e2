// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/what-if/stage-edit.h"
#include "workload/what-if/what-if.h"

#include <cstdint>

namespace nadi
{

bool ChangesPipeline(const WhatIf& wish);

PipelineWish PipelineWishOf(const WhatIf& wish);

/// The layers of the whole model with as many in each chunk as after the edits, in the chunks that
/// were recorded. Throws ConfigError.
uint32_t LayersBefore(const JobStructure& found, const WhatIf& wish);

/// Whether a job of so many layers has others, or deals them to other stages or chunks.
bool IsCutAnew(const JobStructure& found, const WhatIf& wish, uint32_t layers);

/// The key of the edit for which it is cut anew: "pp".
std::string KeyOfLayers(const JobStructure& found, const WhatIf& wish);

/// The ranks of the job once it is as wished, from its degrees alone: no edit is tried. Those of a
/// degree above MOST_NEW_RANKS count as so many.
uint64_t CountWantedRanks(const Workload& job, const JobStructure& found, const WhatIf& wish);

/// Throws ConfigError where durations of new layers are given, but there are no new ones.
void CheckDurations(const JobStructure& structure, const WhatIf& wish);

} // namespace nadi
