// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/terminal/style.h"
#include "simulation/run-input.h"
#include "simulation/run-results.h"

#include <string>

namespace nadi
{

/// A run for people: how long it took, where the slowest rank's time went, who waits for whom, the
/// slowest collectives beside what would be possible, the busiest links, what bounds the job.
/// `wallSeconds`: how long it took to simulate.
std::string DescribeRun(const RunInput& input,
                        const RunResults& results,
                        double wallSeconds,
                        const Style& style);

} // namespace nadi
