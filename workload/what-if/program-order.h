// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

#include <optional>

namespace nadi
{

/// A job, and what was found in it.
struct StructuredJob
{
    Workload job;
    JobStructure structure;
};

/// The job with the nodes of each graph in the order of its tasks (RankStructure::tasks), so that
/// what stands last in a pass has its largest index, and copies of it are numbered as the program
/// would. Ids and dependencies stay. Nothing where all graphs have that order, but for those with
/// nodes that are no tasks, such as operators of the host: these keep theirs.
std::optional<StructuredJob> PutInProgramOrder(const Workload& job, const JobStructure& structure);

} // namespace nadi
