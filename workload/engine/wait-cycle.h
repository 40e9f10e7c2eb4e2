// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"

#include <vector>

namespace nadi
{

/// Who waits for whom, by rank: `waitsFor[a]` lists the ranks that rank a waits for.
using WaitForGraph = std::vector<std::vector<RankId>>;

/// A shortest cycle: each rank waits for the next, the last for the first; starts at its smallest
/// rank. Empty when there is none. Ties: the one through the smallest rank.
std::vector<RankId> FindShortestCycle(const WaitForGraph& waitsFor);

} // namespace nadi
