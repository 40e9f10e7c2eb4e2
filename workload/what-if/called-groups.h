// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/workload.h"

namespace nadi
{

/// Forgets the ranks of groups that nobody calls, and numbers the others as if they had never been:
/// by rank, and by the groups of its graph. Results name them by number.
void KeepCalledGroups(Workload& job);

} // namespace nadi
