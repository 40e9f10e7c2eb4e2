// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-input.h"
#include "simulation/run-results.h"

#include <string>
#include <vector>

namespace nadi
{

/// Keys of `system` that were written and never made a difference, and algorithms that were asked
/// for and replaced: a sentence each, what happened; what it means.
///
/// An interrupted run has none: what did not act might have. A run that is stuck, and a cluster
/// that serves, have only those of algorithms that were replaced. What stands at its default is not
/// judged, so a written configuration and the effective one that it leads to have the same ones.
std::vector<std::string> FindSystemWarnings(const RunInput& input, const RunResults& results);

} // namespace nadi
