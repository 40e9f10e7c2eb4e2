// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/config.h"
#include "workload/workload.h"

#include <cstdint>

namespace nadi
{

/// The job that `workload.what-if` makes of the traces; its notes say what is different. The
/// traces are read, and their structure is found, each time.
///
/// Throws ConfigError for traces that cannot be read, and for edits that they do not allow.
/// Requires: the workload has traces and a what-if.
Workload MakeWhatIfWorkload(const WorkloadConfig& workload);

/// How many ranks it has.
uint32_t CountWhatIfRanks(const WorkloadConfig& workload);

} // namespace nadi
