// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

#include <string>
#include <vector>

namespace nadi
{

/// Why the ranks cannot be of one job, a sentence; empty: nothing says so. Where layers were found,
/// ranks of one stage go through as many.
std::string FindUnequalStages(const JobStructure& structure);

/// What is odd in the traces of a job, whatever was found in them, a sentence each: tasks of the
/// accelerator without a launch, in traces that have operators of the host.
std::vector<std::string> ListOddities(const Workload& workload, const JobStructure& structure);

} // namespace nadi
