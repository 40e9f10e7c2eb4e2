// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "simulation/run-input.h"

#include <set>

namespace nadi
{

/// The groups of a cluster that serves whose passes call all-reduces: the tensor groups of its
/// instances, but for those that only have experts. All other calls are all-to-alls.
std::set<CommunicatorId> FindSummingGroups(const ServingInput& serving);

} // namespace nadi
