// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

#include <cstdint>

namespace nadi
{

/// Sets what only the ranks together show: the stage of each rank, the number of stages, chunks and
/// micro-batches, the schedule, and with it the micro-batch and chunk of each pass; and numbers the
/// layers over the whole model, unless names have done so.
///
/// The first stage is that of ranks whose first forward pass begins without a message; the next
/// stage is where a forward pass sends. On the first stage a micro-batch goes without a message
/// through the first chunk alone, so they tell micro-batches and chunks apart.
///
/// Requires: each rank has layers.
void OrderStages(const Workload& workload, JobStructure& structure);

/// How many ranks pass keys and values around in a ring, by the messages within layers; 1: none.
uint32_t FindContextDegree(const Workload& workload, const JobStructure& structure);

/// Whether messages within layers lead from rank to rank and not back to the first, as those
/// between stages do. False where they leave the recorded ranks.
bool HasOpenRing(const Workload& workload, const JobStructure& structure);

} // namespace nadi
