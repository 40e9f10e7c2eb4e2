// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-input.h"
#include "simulation/run-results.h"

#include <string>
#include <vector>

namespace nadi
{

/// A sentence where collectives have no fabric bound because it would take too long to compute.
/// None where no collective has one, as messages of the backend do not share links.
std::vector<std::string> FindMissingBounds(const RunInput& input, const RunResults& results);

} // namespace nadi
