// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/workload.h"

#include <cstdint>

namespace nadi
{

/// As many ranks as `nadi trace what-if` writes files for.
inline constexpr uint64_t MOST_WRITTEN_TRACES = uint64_t{1} << 16;

/// On all ranks together. A task takes about 200 bytes in a file.
inline constexpr uint64_t MOST_WRITTEN_TASKS = 200'000'000;

/// Throws ConfigError for a job of more ranks than traces are written.
void CheckWrittenRanks(uint64_t ranks);

/// Likewise for one of more tasks.
void CheckWrittenTasks(const Workload& job);

} // namespace nadi
