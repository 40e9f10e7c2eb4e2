// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/memory/memory-estimate.h"

#include <vector>

namespace nadi
{

/// Parameters, gradients and optimizer states that a rank keeps, as EstimateFullestRank has them.
std::vector<MemoryPart>
FindKeptParameters(const Workload& job, const JobStructure& structure, const RankStructure& rank);

/// The bytes of a number in the kernels of a rank: of the type that most of its kernels name, or
/// 2 where none does; `isAssumed` is set then.
uint64_t FindNumberSize(const ExecutionGraph& graph, bool& isAssumed);

} // namespace nadi
