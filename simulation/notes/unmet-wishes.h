// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-input.h"
#include "simulation/run-results.h"

#include <string>
#include <vector>

namespace nadi
{

/// A sentence for each type of collective and each algorithm that a communication library was asked
/// for and did not run: what ran, and why (LibraryDecision::unmet).
std::vector<std::string> FindUnmetWishes(const RunInput& input, const RunResults& results);

} // namespace nadi
