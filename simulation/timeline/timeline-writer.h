// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-input.h"
#include "simulation/run-results.h"

#include <ostream>

namespace nadi
{

/// `timeline.pftrace`: a process for each rank with its tracks, and one for the network with the
/// utilization of the busiest links where `output.series` samples them.
///
/// Order: all sends come first, so that an arrow which begins and ends at one time begins first.
/// Requires: `results.timeline` is there.
void WriteTimeline(const RunResults& results, const RunInput& input, std::ostream& out);

} // namespace nadi
