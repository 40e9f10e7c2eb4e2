// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// A job with other copies, and what was assumed for it, a sentence each.
struct CopiesEdit
{
    Workload job;
    std::vector<std::string> notes;
};

/// The same job with another number of data-parallel copies. Each copy keeps its micro-batches, so
/// that the global batch grows with their number. Copies beyond those recorded do what these do, in
/// turn; a graph that ranks share stays shared.
///
/// Ranks are numbered as before: those that differ in their copy alone stay as far apart. Groups of
/// copies have all new ones; every other group stands in one copy, and is there for each. Shards
/// that copies have (ZeRO) are cut anew (ScaleShards). Neighbours that share experts stay as many,
/// and those that have the same experts grow with the copies.
///
/// From a single copy, sums of gradients are put in (AddGradientSums), unless parts of a sequence
/// have them already. To a single one, calls among copies are taken out, and what waited for them
/// waits for what they waited for.
///
/// Where experts get a single copy, calls among their copies stay, each of a rank alone, and become
/// those of several copies again (SumExpertsApart).
///
/// Throws ConfigError where the copies cannot be told, or a group holds some copies in another way.
/// Requires: `structure` was found in `job`.
CopiesEdit ChangeCopies(const Workload& job, const JobStructure& structure, uint32_t copies);

} // namespace nadi
