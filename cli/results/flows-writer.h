// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/run-input.h"
#include "cli/run-results.h"

#include <deque>
#include <ostream>

namespace nadi
{

/// `flows.csv`: a row per message, in the order given. Routes and ideal times follow from `input`,
/// so that a run need not keep them.
void WriteFlows(const std::deque<FlowRecord>& flows, const RunInput& input, std::ostream& file);

} // namespace nadi
