// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/memory-location.h"
#include "workload/tools/structure/job-structure.h"
#include "workload/tools/structure/rank-analysis.h"
#include "workload/trace/rank-files.h"
#include "workload/workload.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// A recorded job as edits take it: all its ranks, the nodes of each graph in the order of the
/// program (FindProgramOrder), and how it is built.
struct KnownJob
{
    Workload job;
    JobStructure structure;
    /// What it rests on, a sentence each: who is in groups that nothing defines, and which ranks
    /// stand for others.
    std::vector<std::string> notes;
};

/// Reads the traces of a job. Where some of its ranks have none, others stand for them
/// (CompleteJob). It has as many ranks as its traces name, or as the degrees of the hints say.
/// `defaultLocation` is that of memory nodes that do not say theirs.
///
/// Throws ConfigError as ReadPartOfJob, FindStructure and CompleteJob do, and where ranks are
/// missing and nothing says how many, or which of them share a group with a recorded one.
KnownJob ReadKnownJob(const std::vector<RankFile>& files,
                      const std::optional<std::string>& groupsFile,
                      const StructureHints& hints,
                      MemoryLocation defaultLocation = MemoryLocation::Local);

/// How many ranks the job has that ReadKnownJob reads; in less time, where each has a trace.
uint32_t CountKnownRanks(const std::vector<RankFile>& files,
                         const std::optional<std::string>& groupsFile,
                         const StructureHints& hints);

} // namespace nadi
