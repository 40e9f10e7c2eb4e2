// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

#include <string>

namespace nadi
{

/// Whether kernels that stand outside of the layers may be layers themselves. Where names say
/// nothing, and the kernels of a forward pass all do the same work, none of them tells where a
/// layer begins; the layers that are found may then be those of the backward passes alone.
///
/// Empty unless layers were found by repetition, no pass goes backward, and at least four
/// equal kernels, and twice as many as a pass has layers, follow each other before or behind them.
std::string FindEqualKernels(const Workload& workload, const JobStructure& structure);

/// Whether a pattern of layers fits more than the first kernel of each, or too few: then whole
/// layers stand outside of those that are found.
///
/// Empty unless layers were found by a hint, no pass goes backward, and either kernels outside of
/// the layers do the work of kernels in them, as many as a layer has, or some passes have more
/// kernels around their layers than others.
std::string FindLayersOutside(const Workload& workload, const JobStructure& structure);

} // namespace nadi
