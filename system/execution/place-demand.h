// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/communicator.h"
#include "system/execution/place-counts.h"
#include "system/in-network/tree-table.h"
#include "system/library/collective-program.h"

#include <vector>

namespace nadi
{

/// The places on switches that a collective takes while it runs, of all its lines together; nothing
/// where no switch helps, or where they have room for any number of trees.
/// Throws ConfigError as TreeTable::Require.
std::vector<PlaceUse> FindPlaceDemand(const CollectiveProgram& program,
                                      const CommunicatorLayout& layout,
                                      TreeTable& trees);

/// Whether there is room for that when nobody else has any.
bool CanHavePlaces(const std::vector<PlaceUse>& demand, const PlaceTable& places);

/// Whether collectives may have to wait for places.
bool AreAwaited(const TreeTable& trees);

/// Throws ConfigError where a collective of the communicator waits for its places and there is
/// never room for them.
void CheckCanHavePlaces(const std::vector<PlaceUse>& demand,
                        const TreeTable& trees,
                        CommunicatorId communicator);

/// How many trees a switch has room for. Null: no switch computes.
PlaceRules FindPlaceRules(const TreeTable* trees);

} // namespace nadi
