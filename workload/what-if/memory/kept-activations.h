// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/memory/memory-estimate.h"

namespace nadi
{

/// What a rank keeps from forward to backward passes at most, as EstimateFullestRank has it.
/// Without backward passes it is what the layer that writes most writes.
///
/// * Kernels without sizes are taken to write half of their bytes.
/// * The rounds of an attention whose keys and values go around a ring have one result. Keys and
///   values that come around are not kept.
/// * What a tensor group scatters behind the last kernel is kept in shards.
/// * Where the products of backward layers do three times the operations of those of forward ones,
///   layers are computed again: only what they begin with is kept, and all of one of them.
MemoryPart
FindKeptActivations(const Workload& job, const JobStructure& structure, const RankStructure& rank);

} // namespace nadi
