// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/what-if/axis-numbering.h"

#include <cstdint>

namespace nadi
{

/// How the ranks of data-parallel copies are numbered, as a group of them shows; those of a single
/// copy are next to its stages.
///
/// Throws ConfigError where copies cannot be told, or do not stand equally far apart.
AxisNumbering FindCopyNumbering(const JobStructure& structure, uint32_t rankCount);

} // namespace nadi
