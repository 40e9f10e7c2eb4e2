// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/memory/memory-estimate.h"

namespace nadi
{

/// What a rank keeps from forward to backward passes at most, as EstimateFullestRank has it.
/// Without backward passes it is what the layer that writes most writes.
///
/// Kernels without sizes are taken to write half of their bytes. Where backward passes do three
/// times the operations of forward ones, layers are computed again: only what they begin with is
/// kept, and all of one of them.
MemoryPart
FindKeptActivations(const Workload& job, const JobStructure& structure, const RankStructure& rank);

} // namespace nadi
