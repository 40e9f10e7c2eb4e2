// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

#include <string>

namespace nadi
{

/// Checks that the layers of all stages and chunks have as many kernels in a forward pass, products
/// of the same inner sizes and as many operations, so that one may stand for another. Where the
/// first ones are dense and others have experts, they are not. Ranks of the same place in their
/// stage are compared, as tensor-parallel ones may have uneven parts; layers of one pass are where
/// they are copied (LayerPlaces).
///
/// Throws ConfigError; `edit` is what needs them alike.
void CheckLayersAlike(const Workload& job, const JobStructure& found, const std::string& edit);

} // namespace nadi
