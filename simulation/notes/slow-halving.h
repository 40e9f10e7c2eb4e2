// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-input.h"
#include "simulation/run-results.h"

#include <string>
#include <vector>

namespace nadi
{

/// A sentence for each type of collective that ran `halving-doubling` by default on a switch,
/// though `ring` is expected to be clearly faster: over groups that are no power of two some member
/// receives up to half as much again, which counts for large buffers
/// (CollectiveAlgorithm::BusiestPort).
std::vector<std::string> FindSlowHalving(const RunInput& input, const RunResults& results);

} // namespace nadi
