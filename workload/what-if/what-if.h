// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
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
};

/// Applies the edits, always in this order: sizes, layers, pipeline, copies, buckets of gradients,
/// kernels that are removed, speeds. Layers and stages change while each layer has sums of its own.
/// Throws ConfigError as they do. Requires: `structure` was found in `job`.
WhatIfJob ApplyWhatIf(const Workload& job, const JobStructure& structure, const WhatIf& wish);

} // namespace nadi
