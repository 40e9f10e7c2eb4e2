// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-input.h"
#include "simulation/run-results.h"

#include <string>
#include <vector>

namespace nadi
{

/// What is valid in `workload.serve` and yet may not be what the user meant, a sentence each:
/// layers that are not simulated, prompts with a common begin that nobody keeps, a cache for
/// prompts without one.
std::vector<std::string> FindServingNotes(const ServeOptions& serve, const ServingInput& instances);

/// What only the run shows, of a cluster that serves: more requests than it can serve, a prefix
/// cache that nobody found anything in. An interrupted run has none.
std::vector<std::string> FindServingWarnings(const RunInput& input, const RunResults& results);

} // namespace nadi
