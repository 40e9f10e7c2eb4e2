// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

namespace nadi
{

/// The job, where the sum of a matrix that embedding and head share is of a group of its own.
/// Traces of two ranks on two stages name no group for it, as it is of all ranks; with more ranks
/// it would be of the ends still. What was found in the job holds for the result: no node moves.
Workload NameGroupOfEnds(const Workload& job, const JobStructure& structure);

} // namespace nadi
