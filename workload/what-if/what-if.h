// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/what-if/kernel-times/kernel-times.h"
#include "workload/what-if/wish.h"
#include "workload/workload.h"

#include <string>
#include <vector>

namespace nadi
{

/// An edited job, and what is different, a sentence each.
struct WhatIfJob
{
    Workload job;
    std::vector<std::string> changes;
    std::vector<std::string> notes; ///< what was assumed of the times of kernels, likewise
};

/// Applies the edits, always in this order: sizes, layers, pipeline, copies, buckets of gradients,
/// kernels that are removed, kernels that are fused, the accelerator, speeds. Layers and stages
/// change while each layer has sums of its own. Kernels of other sizes take what `times` say, or
/// what models fitted to the job say (KernelTimer). Throws ConfigError as they do. Requires:
/// `structure` was found in `job`, whose nodes are in the order of the program
/// (PutInProgramOrder).
WhatIfJob ApplyWhatIf(const Workload& job,
                      const JobStructure& structure,
                      const WhatIf& wish,
                      KernelTimes times = {});

} // namespace nadi
