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

} // namespace nadi
