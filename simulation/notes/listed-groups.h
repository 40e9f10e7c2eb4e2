// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-input.h"

#include <string>
#include <vector>

namespace nadi
{

/// Whether some group passes data along a list of ranks that reach their neighbours at unequal
/// rates, so that the slowest ones set the pace. An all-to-all, a gather and a scatter pass nothing
/// on: as much crosses the slow ways in any stack.
bool PassesDataOverUnequalWays(const RunInput& input);

/// What to do about groups that are no grid in a stack whose dimensions have unequal rates, and so
/// run over one list of their ranks: a sentence; none where there is no such group.
std::vector<std::string> FindListedGroupNotes(const RunInput& input);

} // namespace nadi
