// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-input.h"
#include "simulation/run-results.h"

#include <string>
#include <vector>

namespace nadi
{

/// A sentence where keys that say how long computation and accesses to memory take are not at
/// their defaults, and the job has nothing for them. Requires: the job serves nothing.
std::vector<std::string> FindIdleComputeKeys(const RunInput& input, const RunResults& results);

} // namespace nadi
