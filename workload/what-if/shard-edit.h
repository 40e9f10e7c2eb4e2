// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/what-if/axis-numbering.h"
#include "workload/workload.h"

#include <cstdint>

namespace nadi
{

/// Shards of parameters, gradients and optimizer states, of which each data-parallel copy has one
/// (ZeRO): as they are with `copies` copies in place of those of the numbering. What is gathered
/// among copies, the kernels of the optimizer that update shards, and, where copies keep shards of
/// gradients, what ends of the pipeline sum of a tied matrix become smaller as copies become more.
/// Sizes are rounded half up. A job
/// without shards, whose copies gather nothing, stays as it is.
///
/// Throws ConfigError where a kernel updates both shards and whole parameters.
/// Requires: `structure` was found in `job`.
void ScaleShards(Workload& job,
                 const JobStructure& structure,
                 const AxisNumbering& numbering,
                 uint32_t copies);

} // namespace nadi
