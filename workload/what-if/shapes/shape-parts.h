// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/what-if/shapes/group-roles.h"
#include "workload/what-if/shapes/shape-reading.h"
#include "workload/workload.h"

#include <string>

namespace nadi
{

/// Puts together what the ranks of a reading saw: its places, parts and the whole model. Requires:
/// `reading.jobs` are read.
///
/// Throws ConfigError at `wish` where ranks see different sizes, or hold parts of the model other
/// than CutSizes gives them.
void FindParts(const Workload& job,
               const JobStructure& structure,
               const GroupRoles& roles,
               const std::string& wish,
               ShapeReading& reading);

} // namespace nadi
