// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-plan.h"
#include "system/message-programs/message-program.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace nadi
{

/// The stages that must have ended on a rank before a stage begins there: earlier ones.
using StageOrder = std::function<std::vector<uint32_t>(uint32_t stage)>;

/// Stages one after the other, as plans have them.
std::vector<uint32_t> FollowStageBefore(uint32_t stage);

/// A plan as a stored program, in which every element of the plan is a chunk. A message of chunks
/// that do not lie in a row becomes several.
///
/// Stages follow each other as `order` says. All lanes of a stage run at once, however many the
/// plan would run at a time; a send that awaits its delivery is complete once it is posted.
///
/// Requires: `plan` was made for `request`, whose elements are a multiple of twice its ranks; it
/// has no helpers and no scratch; it is no all-to-all, whose rows pass through the places of
/// others.
MessageProgram MakePlanProgram(const CollectivePlan& plan,
                               const PlanRequest& request,
                               const StageOrder& order = &FollowStageBefore);

/// The same collective, in elements that are chunks of a stored program: each rank's shard is cut
/// into STORED_CHUNKS_OF_SHARD. `request.elements` and `elementBytes` are those of the collective.
PlanRequest InStoredChunks(PlanRequest request);

inline constexpr uint32_t STORED_CHUNKS_OF_SHARD = 32;

} // namespace nadi
