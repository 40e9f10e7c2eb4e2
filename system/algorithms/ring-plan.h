// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/algorithms/ring-order.h"
#include "system/collective-plan.h"

#include <cstdint>
#include <memory>

namespace nadi
{

/// A collective that runs one way around a ring, on all of a buffer or on a half of it.
struct RingTask
{
    CollectiveType type = CollectiveType::AllReduce;
    RingOrder order;
    Interval buffer;
    uint32_t root = 0;   ///< broadcast, reduce
    uint32_t slices = 1; ///< broadcast, reduce
};

/// All but gather and scatter.
bool IsRingCollective(CollectiveType type);

/// Message steps that follow one another: p - 1, all-reduce 2 (p - 1).
uint32_t RingLatencySteps(CollectiveType type, uint32_t ranks);

/// Links between two neighbours of the ring, where they are farthest apart.
uint32_t RingStepHops(uint32_t ranks, const Shape& shape);

/// In an all-to-all a block goes 1 .. p - 1 places ahead, p / 2 in the mean, and is sent once for
/// each; all else is sent once.
double RingTimesSent(CollectiveType type, uint32_t ranks);

/// CollectiveAlgorithm::BusiestPort of it.
Bytes RingTraffic(CollectiveType type, Bytes held, uint32_t ranks);

/// Whether buffers are cut in RingTask::slices: a chain passes them on. All other types travel in
/// shards.
bool CutsRingSlices(CollectiveType type);

/// Each message goes to the next member. Requires: IsRingCollective(task.type).
///
/// Reduce-scatter, step k: a member sends the shard of the member k + 1 places behind, and ends
/// with its own. All-gather, step k: the shard of the member k places behind. All-reduce: one
/// after the other, in one lane. Barrier: an all-gather of nothing. All-to-all: see
/// RingAllToAllPlan. Broadcast, reduce: a chain from or to the root, one lane a slice.
std::unique_ptr<CollectivePlan> MakeRingPlan(const RingTask& task);

} // namespace nadi
