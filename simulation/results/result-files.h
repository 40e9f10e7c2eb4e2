// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/results/output-directory.h"
#include "simulation/run-input.h"
#include "simulation/run-results.h"

namespace nadi
{

/// Writes what a run leaves to `directory`, which the caller publishes: the effective
/// configuration, the tables, and the timeline and the waits where there are any (docs/outputs.md).
/// The summary is not among them, since it tells what the run and the writing cost.
///
/// Throws UsageError when a file cannot be written.
void WriteResultFiles(OutputDirectory& directory, const RunInput& input, const RunResults& results);

} // namespace nadi
