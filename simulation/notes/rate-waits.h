// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-input.h"
#include "simulation/run-results.h"

#include <string>
#include <vector>

namespace nadi
{

/// A sentence where `rate-interval` of the backend `flow` was not small against the time of
/// messages: then they wait for the next change of rates, and the run is slower than the network.
std::vector<std::string> FindRateWaits(const RunInput& input, const RunResults& results);

} // namespace nadi
