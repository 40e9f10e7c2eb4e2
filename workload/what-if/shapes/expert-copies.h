// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

namespace nadi
{

/// Whether as many copies of the model as there are share the experts of a layer, so that nobody
/// sums their gradients.
bool HaveSingleCopy(const JobStructure& structure);

/// A job whose experts have a single copy, with calls among their copies to come, each of a group
/// of its rank alone. Beside each call among all copies that is of layers with experts stands one
/// of these experts, of the same type: a sum of gradients or a gather of shards. It waits for the
/// same. What waits for the one waits for the other, and no more for the kernels that made the
/// gradients. Numbers have as many bytes.
///
/// Throws ConfigError at "what-if: dp" where sizes cannot be told (ReadShapes), or how many
/// parameters experts have can be told in several ways. Requires: `structure` was found in `job`;
/// HaveSingleCopy(structure).
Workload AddExpertSums(const Workload& job, const JobStructure& structure);

} // namespace nadi
