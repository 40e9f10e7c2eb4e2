// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

#include <string>

namespace nadi
{

/// Whether as many copies of the model as there are share the experts of a layer, so that nobody
/// sums their gradients.
bool HaveSingleCopy(const JobStructure& structure);

/// The job with calls of their own among copies of experts, sums of gradients and gathers of
/// shards, so that other edits can give them other sizes and copies.
///
/// Where experts have a single copy, such a call stands beside each call among all copies that is
/// of layers with experts. It has the same type, its numbers have as many bytes, and its group is
/// its rank alone. Where all copies have all experts and a call is of both, it is taken apart.
/// Where one group has all copies, copies of experts, or ranks that share them, as of the same
/// ranks, each use gets a group of its own. The new call waits for the same. What waits for the one
/// waits for the other, and no more for the kernels that made the gradients.
///
/// Throws ConfigError at `wish` where sizes cannot be told (ReadShapes), or how many parameters
/// experts have can be told in several ways. Requires: `structure` was found in `job`.
Workload
SumExpertsApart(const Workload& job, const JobStructure& structure, const std::string& wish);

} // namespace nadi
