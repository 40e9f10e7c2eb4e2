// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/results/table.h"
#include "simulation/run-input.h"
#include "simulation/run-results.h"

#include <deque>
#include <ostream>

namespace nadi
{

/// `flows.csv`: a row per message, in the order given. Routes and ideal times follow from `input`,
/// so that a run need not keep them.
void WriteFlows(const std::deque<FlowRecord>& flows, const RunInput& input, std::ostream& file);

/// The columns of that table.
TableDescription DescribeFlowsTable();

} // namespace nadi
