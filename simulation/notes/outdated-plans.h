// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-input.h"
#include "simulation/run-results.h"

#include <string>
#include <vector>

namespace nadi
{

/// What a user should know where synthesised programs or trees of switches were made for a network
/// that faults changed later: RunInput::TopologyAtBegin.
std::vector<std::string> FindOutdatedPlans(const RunInput& input, const RunResults& results);

} // namespace nadi
