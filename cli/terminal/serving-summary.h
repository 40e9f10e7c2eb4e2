// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/terminal/style.h"
#include "simulation/run-input.h"
#include "simulation/run-results.h"

#include <string>

namespace nadi
{

/// What a cluster served, and how fast; empty for a job that serves nothing.
std::string DescribeServing(const RunInput& input, const RunResults& results, const Style& style);

} // namespace nadi
