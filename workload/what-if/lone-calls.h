// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/workload.h"

#include <set>
#include <string>

namespace nadi
{

/// The names of groups that a rank of the job is alone in.
std::set<std::string> FindLoneGroups(const Workload& job);

/// Takes out collectives of a single rank, apart from those of groups of these names, as they were
/// recorded. What waited for one waits for what that one waited for.
void RemoveLoneCalls(Workload& job, const std::set<std::string>& recorded);

} // namespace nadi
