// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-plan.h"
#include "system/message-programs/message-program.h"

namespace nadi
{

/// A plan as a stored program, in which every element of the plan is a chunk.
///
/// Stages follow each other as in the plan. All lanes of a stage run at once, however many the plan
/// would run at a time; a send that awaits its delivery is complete once it is posted.
///
/// Requires: `plan` was made for `request`, whose elements are a multiple of twice its ranks; it
/// has no helpers and no scratch; it is no all-to-all, whose rows pass through the places of
/// others.
MessageProgram MakePlanProgram(const CollectivePlan& plan, const PlanRequest& request);

/// The plan of an algorithm for a collective of any size, as a stored program: each rank's shard is
/// cut into STORED_CHUNKS_OF_SHARD chunks. `request.elements` and `elementBytes` are those of the
/// collective. Requires: as MakePlanProgram, but for the elements.
MessageProgram StoreAlgorithmPlan(const CollectiveAlgorithm& algorithm, PlanRequest request);

inline constexpr uint32_t STORED_CHUNKS_OF_SHARD = 32;

} // namespace nadi
