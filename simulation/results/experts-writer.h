// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/results/table.h"
#include "workload/serving/expert-counts.h"

#include <ostream>

namespace nadi
{

TableDescription DescribeExpertsTable();

/// `experts.csv`: what the experts of each rank computed.
void WriteExperts(const ExpertCounts& experts, std::ostream& file);

} // namespace nadi
