// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/config.h"
#include "workload/workload.h"

#include <cstdint>

namespace nadi
{

/// The job that `workload.what-if` makes of the traces, or of the generated job; its notes say what
/// is different. The traces are read, and their structure is found, each time. `defaultLocation` is
/// that of memory nodes whose traces do not say theirs.
///
/// Throws ConfigError for traces that cannot be read, for a model that takes any number of ranks,
/// and for edits that the job does not allow.
/// Requires: the workload has traces or a model, and a what-if.
Workload MakeWhatIfWorkload(const WorkloadConfig& workload, MemoryLocation defaultLocation);

/// How many ranks it has.
uint32_t CountWhatIfRanks(const WorkloadConfig& workload);

} // namespace nadi
