// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"

namespace nadi
{

/// Adds notes on what does not fit: layers that were not found, and which hint would help; kernels
/// of no layer; layers that differ from others of their kind; iterations that are not whole.
void AddStructureNotes(JobStructure& structure);

} // namespace nadi
