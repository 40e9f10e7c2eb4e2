// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/what-if/shapes/shape-reading.h"
#include "workload/workload.h"

namespace nadi
{

/// What both ends of a pipeline sum of a matrix that they share is a shard where copies keep shards
/// of gradients (ZeRO 2 and 3), and the whole matrix with ZeRO 1. The size of the sum tells: it is
/// taken for the whole where it has as many bytes for each number of the matrix as other sums of
/// gradients have for theirs.
///
/// Requires: the parts of `reading` are known.
void FindWholeTiedSums(const Workload& job, const JobStructure& structure, ShapeReading& reading);

} // namespace nadi
