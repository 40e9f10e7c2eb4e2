// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

#include <string>

namespace nadi
{

/// Checks that the layers of all stages and chunks have as many kernels in a forward pass, and
/// products of the same inner sizes, so that one may stand for another. Where the first ones are
/// dense and others have experts, they are not. Layers of one pass are compared where they are
/// copied (LayerPlaces).
///
/// Throws ConfigError; `edit` is what needs them alike.
void CheckLayersAlike(const Workload& job, const JobStructure& found, const std::string& edit);

} // namespace nadi
