// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/workload.h"

#include <filesystem>
#include <string>
#include <vector>

namespace nadi
{

/// Writes a job as Chakra traces that other tools read too: `<name>.<rank>.et` for each rank and
/// `groups.json` ({"1": [0, 1], ...}), which is left out where all collectives are of all ranks.
/// Groups are numbered from 1, in the order of the job's communicators; those of all ranks have no
/// name.
///
/// Throws UsageError, having touched nothing, unless `directory` is absent or empty.
void WriteTraceFiles(const Workload& workload,
                     const std::string& name,
                     const std::filesystem::path& directory);

} // namespace nadi
