// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/results/table.h"
#include "simulation/run-input.h"
#include "simulation/run-results.h"

#include <ostream>

namespace nadi
{

/// `links.csv`: a row per direction of a link, in the order of the topology.
void WriteLinks(const RunInput& input, const RunResults& results, std::ostream& file);

/// The columns of that table.
TableDescription DescribeLinksTable();

} // namespace nadi
