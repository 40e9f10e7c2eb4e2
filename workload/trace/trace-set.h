// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "common/work-progress.h"
#include "system/memory-location.h"
#include "workload/trace/dependency-choice.h"
#include "workload/workload.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// Which traces make a job.
struct TraceOptions
{
    std::string pattern;                 ///< "mlp.{rank}.et", or one file that all ranks share
    std::vector<std::string> files = {}; ///< one for each rank, in place of a pattern
    std::optional<std::string> groupsFile = {};
    /// Number of ranks; else as many as there are files, or NPUs for a shared file.
    std::optional<uint32_t> ranks;
    uint32_t npuCount = 1;
    Bytes elementSize{1};
    DependencyPolicy dependencies = DependencyPolicy::Auto;
    MemoryLocation defaultLocation = MemoryLocation::Local; ///< of memory nodes without one
    WorkProgress* progress = nullptr; ///< is told how many ranks' traces are read, if it is there
};

/// How many ranks the job has. Reads no trace; throws ConfigError where there are too few.
uint32_t CountTraceRanks(const TraceOptions& options);

/// Reads the traces of all ranks and the groups that they use.
///
/// Ranks whose files are equal byte by byte share one graph. Notes say with counts over all files
/// what was taken otherwise than it stands.
///
/// Throws ConfigError for what cannot be found or read, and for more ranks than files.
Workload ReadTraces(const TraceOptions& options);

} // namespace nadi
