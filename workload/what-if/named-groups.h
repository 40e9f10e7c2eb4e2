// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

namespace nadi
{

/// The job, where calls of all ranks are of a group that says what for, as far as edits must know
/// it. Traces name no group that has all ranks, such as that of the copies in a job that is only
/// data parallel; with more ranks it would be of some of them still. What was found in the job
/// holds for the result: no node moves.
Workload NameGroups(const Workload& job, const JobStructure& structure);

} // namespace nadi
