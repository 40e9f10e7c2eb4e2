// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-input.h"
#include "simulation/run-results.h"

#include <string>
#include <vector>

namespace nadi
{

/// What only the run shows, of the forward passes of a cluster that serves: layers that stand for
/// others and were disturbed, recorded routes that were not repeated, prompts that were not cut.
/// Requires: requests were served.
std::vector<std::string> FindPassWarnings(const RunInput& input, const ServingTotals& served);

} // namespace nadi
