// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "workload/rank-metrics.h"

#include <string>

namespace nadi
{

/// What a run's numbers say, in a sentence or two: what bounds the slowest rank, and what would
/// help. `busiestLink` is the busiest link's utilization while that rank communicated, 0 to 1.
std::string ReadMetrics(const RankMetrics& metrics, double busiestLink);

} // namespace nadi
