// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/call-roles.h"
#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

namespace nadi
{

/// Lists the sums of gradients of each rank (RankStructure::gradientSums), and takes them out of
/// the tasks of layers, into the extra ones: they stand in every layer where buckets are small, and
/// still are of none. What layers consist of is counted without them.
void SetApartGradients(const Workload& workload, const CallRoles& roles, JobStructure& structure);

} // namespace nadi
