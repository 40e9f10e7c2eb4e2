// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-engine.h"
#include "system/communicator.h"

#include <string>
#include <string_view>
#include <vector>

namespace nadi
{

/// "rank 5" or "ranks {0..3, 8}".
std::string DescribeRanks(const std::vector<RankId>& ranks);

/// "all-reduce #3 of communicator 0 {0..7}"; calls are numbered from 0.
std::string DescribeCollective(const PendingCollective& collective,
                               const std::vector<Communicator>& communicators);

/// `node 12 "gradients"`.
std::string DescribeNode(NodeId node, std::string_view name);

} // namespace nadi
