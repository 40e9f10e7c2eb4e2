// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/demands/job-demands.h"

#include <string>
#include <vector>

namespace nadi
{

/// The demands as JSON; docs/optimize.md has its fields.
std::string WriteDemands(const RunInput& input, const std::vector<RankDemands>& demands);

} // namespace nadi
