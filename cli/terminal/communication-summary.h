// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/terminal/style.h"
#include "simulation/run-input.h"
#include "simulation/run-results.h"

#include <string>

namespace nadi
{

/// What the slowest rank's communication is made of: a line for each type and communicator, the
/// one with the most exposed time first. Empty where a single line would say what others say.
std::string
DescribeCommunication(const RunInput& input, const RunResults& results, const Style& style);

/// Which ranks others wait for in collectives, and how long; empty where nobody waits for as much
/// as a hundredth of the job.
std::string DescribeWaiting(const RunResults& results, const Style& style);

} // namespace nadi
