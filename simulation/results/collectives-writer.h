// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/results/table.h"
#include "simulation/run-results.h"

#include <ostream>

namespace nadi
{

/// `collectives.csv`: a row per collective that all its members completed.
void WriteCollectives(const RunResults& results, std::ostream& file);

/// The columns of that table.
TableDescription DescribeCollectivesTable();

} // namespace nadi
