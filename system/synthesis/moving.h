// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "system/collective-type.h"
#include "system/synthesis/group-routes.h"

#include <cstdint>

namespace nadi::synthesis
{

/// A gather, scatter or all-to-all.
struct MovingTask
{
    CollectiveType type = CollectiveType::AllToAll;
    uint32_t root = 0;
    uint32_t parts = 1; ///< chunks of what one rank sends another
    Bytes chunk;        ///< the size of the largest one
    uint64_t seed = 1;
    bool isBalanced = true; ///< else each chunk takes its quickest path
};

/// Every chunk from its source to its destination, over paths that load links evenly. Chunks with
/// long ways leave first, and each rank begins with another destination.
Attempt MoveChunks(const GroupRoutes& routes, const MovingTask& task);

} // namespace nadi::synthesis
