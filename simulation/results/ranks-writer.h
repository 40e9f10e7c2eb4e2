// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/results/table.h"
#include "simulation/run-results.h"

#include <ostream>

namespace nadi
{

/// `ranks.csv`: a row per rank, where its time went.
void WriteRanks(const RunResults& results, std::ostream& file);

/// The columns of that table.
TableDescription DescribeRanksTable();

} // namespace nadi
