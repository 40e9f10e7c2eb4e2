// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

#include <string>

namespace nadi
{

/// Whether a pattern of layers fits more than the first kernel of each, or too few: then whole
/// layers stand outside of those that are found.
///
/// Empty unless layers were found by a hint, no pass goes backward, and either kernels outside of
/// the layers do the work of kernels in them, as many as a layer has, or some passes have more
/// kernels around their layers than others, or all layers have one kernel each, of different work.
std::string FindPatternMisfit(const Workload& workload, const JobStructure& structure);

} // namespace nadi
