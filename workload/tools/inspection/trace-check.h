// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/inspection/finding.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// What a check of traces gives.
struct TraceCheck
{
    uint32_t rankCount = 0;
    uint64_t nodeCount = 0;        ///< over all ranks whose files could be read
    std::vector<Finding> findings; ///< errors first

    uint64_t Count(Severity severity) const;
};

/// Looks at the traces `files`, by rank, for everything that would make a run of them wrong or
/// keep it from finishing, as far as the traces show it: whether a job finishes never depends on
/// times, except where a rank receives several messages of one source and tag at once.
///
/// The files are read and put together as a run does it, by the same code; `groupsFile` may be
/// absent. A file that cannot be read, or has nodes that cannot be run, is an error, and its ranks
/// are left out where ranks are compared with each other.
///
/// Never throws for what is wrong with the files. Memory: the graphs of all ranks at once.
TraceCheck CheckTraces(const std::vector<std::string>& files,
                       const std::optional<std::string>& groupsFile);

} // namespace nadi
