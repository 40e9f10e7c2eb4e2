// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-input.h"
#include "simulation/run-results.h"

#include <string>
#include <vector>

namespace nadi
{

/// Whether the algorithms of `type` are those that it has when nobody chooses: those of its shape,
/// or for a barrier those of all-reduce.
bool IsDefaultChoice(const RunInput& input, CollectiveType type);

/// Collectives that did not run the algorithms that were chosen for their type, since their ranks
/// are no product of the stack's dimensions or bring different sizes: a sentence for each type and
/// what ran instead, with the first communicator. Choices that are the defaults are not judged.
std::vector<std::string> FindReplacedAlgorithms(const RunInput& input, const RunResults& results);

} // namespace nadi
