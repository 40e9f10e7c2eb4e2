// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/workload.h"

#include <string>
#include <vector>

namespace nadi
{

/// What a simulation of the recorded job reads and synthetic traces do not have: a note for each
/// such attribute, with the number of nodes that have it, over all ranks.
std::vector<std::string> DescribeDropped(const Workload& recorded);

} // namespace nadi
