// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

#include <string>

namespace nadi
{

/// Why the traces cannot hold whole iterations of one model, a sentence; empty: nothing says so.
///
/// In a whole iteration, passes of a chunk go through as many layers, as many go forward as
/// backward, if any does, and neither the first nor the last layer is a part of another one. All
/// iterations have as many passes, and the last one has an optimizer where all others have.
std::string FindPartialIteration(const Workload& workload, const JobStructure& structure);

} // namespace nadi
