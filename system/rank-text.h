// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"

#include <string>
#include <vector>

namespace nadi
{

/// "{0..7}", "{0, 2, 4..6}": in ascending order, runs of three or more abridged.
std::string ToRankListText(std::vector<RankId> ranks);

/// `rank 2 (node 17 "ar")`, without the name where there is none.
std::string ToCallerText(RankId rank, NodeId node, const std::string& name);

} // namespace nadi
