// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/results/output-directory.h"
#include "simulation/run-input.h"
#include "workload/trace-writer.h"

#include <vector>

namespace nadi
{

/// Writes a run as if it had been recorded: `recording/<name>.<rank>.et` for each rank, Chakra
/// traces with starts and durations, and `recording/groups.json` where there are groups. The name
/// is that of the configuration file without its ending.
///
/// `recording`: by rank. Throws UsageError when a file cannot be written.
void WriteRecording(OutputDirectory& directory,
                    const RunInput& input,
                    const std::vector<NodeTimes>& recording);

} // namespace nadi
