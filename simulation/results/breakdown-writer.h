// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/results/table.h"
#include "simulation/run-results.h"

#include <ostream>

namespace nadi
{

/// `breakdown.csv`: a row for each rank and kind of communication; times of kinds that overlap are
/// counted once, so that they add up.
void WriteBreakdown(const RunResults& results, std::ostream& file);

/// The columns of that table.
TableDescription DescribeBreakdownTable();

} // namespace nadi
