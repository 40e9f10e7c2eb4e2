// SPDX-License-Identifier: GPL-2.0-only
#include "workload/engine/wait-text.h"

#include "system/rank-text.h"

#include <fmt/format.h>

namespace nadi
{

std::string
DescribeRanks(const std::vector<RankId>& ranks)
{
    return ranks.size() == 1 ? fmt::format("rank {}", ranks.front().value)
                             : "ranks " + ToRankListText(ranks);
}

std::string
DescribeCollective(const PendingCollective& collective,
                   const std::vector<Communicator>& communicators)
{
    const uint32_t communicator = collective.communicator.value;
    return fmt::format("{} #{} of communicator {} {}",
                       ToText(collective.type),
                       collective.call,
                       communicator,
                       ToRankListText(communicators[communicator].ranks));
}

std::string
DescribeNode(NodeId node, std::string_view name)
{
    return fmt::format("node {} \"{}\"", node.value, name);
}

} // namespace nadi
