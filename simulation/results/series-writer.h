// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/topology.h"
#include "simulation/results/table.h"
#include "simulation/run-results.h"

#include <ostream>
#include <vector>

namespace nadi
{

/// `series.csv`: a row per sample, in the order given. Samples whose values are all zero have no
/// row, so that links that idle cost nothing.
void
WriteSeries(const std::vector<SeriesSample>& series, const Topology& topology, std::ostream& file);

/// The columns of that table.
TableDescription DescribeSeriesTable();

} // namespace nadi
