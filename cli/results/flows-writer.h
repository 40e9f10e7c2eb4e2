// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/run-input.h"
#include "network/message.h"

#include <string>
#include <vector>

namespace nadi
{

/// `flows.csv`: a row per message, in the order given. Routes and ideal times follow from `input`,
/// so that a run need not keep them.
std::string WriteFlows(const std::vector<Delivery>& flows, const RunInput& input);

} // namespace nadi
