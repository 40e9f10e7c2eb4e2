// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

#include <cstdint>

namespace nadi
{

/// The same job with `copies` data-parallel copies. Each copy keeps its micro-batches, so that the
/// global batch grows with their number. Copies beyond those recorded do what these do, in turn; a
/// graph that ranks share stays shared.
///
/// Ranks are numbered as before: those that differ in their copy alone stay as far apart. Groups of
/// copies have all new ones; every other group stands in one copy, and is there for each. Shards
/// that copies have (ZeRO) are cut anew (ScaleShards).
///
/// Throws ConfigError where the copies cannot be told, there is only one recorded or wanted (so
/// that nobody would sum gradients), or a group holds some copies and not all (experts).
/// Requires: `structure` was found in `job`.
Workload ChangeCopies(const Workload& job, const JobStructure& structure, uint32_t copies);

} // namespace nadi
