// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-input.h"
#include "simulation/run-results.h"

#include <string>
#include <vector>

namespace nadi
{

/// Collectives that did not run the algorithms that were chosen for their type, since their ranks
/// are no product of the stack's dimensions or bring different sizes: a sentence for each type and
/// what ran instead, with the first communicator. What the configuration leaves out is not judged.
std::vector<std::string> FindReplacedAlgorithms(const RunInput& input, const RunResults& results);

} // namespace nadi
