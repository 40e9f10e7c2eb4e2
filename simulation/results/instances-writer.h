// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/results/table.h"
#include "workload/serving/serving-results.h"

#include <ostream>

namespace nadi
{

TableDescription DescribeInstancesTable();

/// `instances.csv`: a row for each instance of a cluster that serves.
void WriteInstances(const ServingTotals& serving, std::ostream& file);

} // namespace nadi
