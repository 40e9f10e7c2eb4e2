// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-input.h"
#include "simulation/run-results.h"

#include <string>
#include <vector>

namespace nadi
{

/// The keys of `system.library` that are not at their defaults and had no effect, or not the one
/// that they say: a sentence for each reason. Wishes that the library could not meet are those of
/// FindUnmetWishes.
///
/// Keys that describe a machine, such as its transport, are not judged: systems are described once
/// for many jobs.
///
/// Requires: the job serves nothing, as the collectives of its results are judged.
std::vector<std::string> FindIdleLibraryKeys(const RunInput& input, const RunResults& results);

} // namespace nadi
