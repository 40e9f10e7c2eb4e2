// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-input.h"
#include "simulation/run-results.h"

#include <string>
#include <vector>

namespace nadi
{

/// Mechanisms of the network that were configured and never acted, so that nobody reads their
/// absence for their effect: a sentence each, what happened; what it means. What can be said
/// without running is among the input's notes.
///
/// An interrupted run has none: what did not act might have. Nor has a backend without mechanisms:
/// see FindBackendNotes.
std::vector<std::string> FindMechanismWarnings(const RunInput& input, const RunResults& results);

} // namespace nadi
