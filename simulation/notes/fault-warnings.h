// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-input.h"
#include "simulation/run-results.h"

#include <string>
#include <vector>

namespace nadi
{

/// Whether the fault begins while the job runs. What begins when the job is done comes too late; a
/// job that is stuck goes on at that instant.
bool IsInTime(const LinkFault& fault, const RunResults& results);

/// The entries of `network.faults` that did nothing to any frame, in their order: one sentence at
/// most for each, which begins with "network.faults[N] ". It says "had no effect" only where the
/// job without the fault has the same times. Requires: the backend has frames, and the run was not
/// interrupted.
std::vector<std::string> FindFaultWarnings(const RunInput& input, const RunResults& results);

} // namespace nadi
