// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

#include <string>

namespace nadi
{

/// Ranks that cannot be copies of each other, although nothing else than that would make them ranks
/// of one job: they are of one stage, no collective and no message links them, and the products of
/// their forward layers have other inner sizes. Those are widths of the model, whatever the batch
/// is. A sentence, or empty.
///
/// Ranks that are linked are compared by what they call (FindDisagreement). Of unlinked ones, those
/// of the same place among the ranks that are linked with them are compared.
std::string FindUnlikeRanks(const Workload& workload, const JobStructure& structure);

} // namespace nadi
