// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

#include <string>

namespace nadi
{

/// The structure as JSON, for other programs. Nodes are named by their ids in the traces.
///
/// Requires: the structure is that of the workload.
std::string FormatStructureJson(const JobStructure& structure, const Workload& workload);

} // namespace nadi
