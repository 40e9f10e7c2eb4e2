// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "system/synthesis/group-routes.h"
#include "system/synthesis/matching.h"

#include <cstdint>
#include <vector>

namespace nadi::synthesis
{

/// Chunks that all ranks shall have, or that the contributions of all ranks shall be added to.
struct SpreadingTask
{
    std::vector<uint32_t> owners; ///< by chunk: where it begins, or where its sum shall be
    Bytes chunk;                  ///< the size of the largest one
    MatchingRules rules;
};

/// Every chunk from its owner to all ranks.
Attempt SpreadChunks(const GroupRoutes& routes, const SpreadingTask& task);

/// Every chunk from all ranks to its owner, added on the way: a spreading on the reversed ways,
/// mirrored in time. So what u sends v there, v sends u here, once all that v adds has come.
Attempt ReduceChunks(const GroupRoutes& routes, const SpreadingTask& task);

/// Both, chunk by chunk: a chunk goes back as soon as its sum is complete. Of several orders in
/// which links may serve the two directions, the quickest one.
Attempt ReduceAndSpread(const GroupRoutes& routes, const SpreadingTask& task);

/// The rank from which the farthest one is nearest, in times of messages of `size`.
uint32_t FindCentre(const RouteModel& model, const MessageTimes& times);

} // namespace nadi::synthesis
