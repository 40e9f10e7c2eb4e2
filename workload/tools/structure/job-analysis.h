// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/editing/trace-job.h"
#include "workload/tools/structure/job-structure.h"
#include "workload/tools/structure/rank-analysis.h"
#include "workload/workload.h"

#include <vector>

namespace nadi
{

/// Finds how a job is built, from nothing but what traces hold: names, order, sizes, groups and
/// dependencies. `orders` are by graph; where there are none the order of a graph is that of the
/// program.
///
/// Where no layers are found, that is what the result says; a note names the hint that helps.
///
/// Throws ConfigError for hints that fit nothing.
JobStructure FindStructure(const Workload& workload,
                           const std::vector<RecordedOrder>& orders,
                           const StructureHints& hints);

/// Likewise of traces, whose documents are read one after the other for what graphs leave out.
JobStructure FindStructure(const TraceJob& job, const StructureHints& hints);

} // namespace nadi
