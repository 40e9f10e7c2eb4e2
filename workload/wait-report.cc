// SPDX-License-Identifier: GPL-2.0-only
#include "workload/wait-report.h"

#include "common/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

namespace
{

std::string
DescribeCycle(const std::vector<RankId>& cycle)
{
    std::string text;
    for (const RankId rank : cycle)
    {
        text += fmt::format("rank {} -> ", rank.value);
    }
    return fmt::format("{}rank {}", text, cycle.front().value);
}

// The line that stands for what is left out, if anything is.
std::string
DescribeRest(size_t count, size_t most, const std::string& what)
{
    return count > most ? fmt::format("  ... and {}\n", CountText(count - most, "more " + what))
                        : "";
}

std::string
DescribeRank(const WaitingRank& waiting)
{
    return fmt::format("  rank {} waits in node {} \"{}\" ({} left): {}\n",
                       waiting.rank.value,
                       waiting.node.value,
                       waiting.name,
                       CountText(waiting.nodesLeft, "node"),
                       waiting.waitsFor);
}

} // namespace

std::string
WaitReport::ToText(size_t most) const
{
    std::string text;
    for (size_t i = 0; i < std::min(causes.size(), most); ++i)
    {
        text += fmt::format("cause: {}\n", causes[i]);
    }
    text += DescribeRest(causes.size(), most, "cause");
    if (!cycle.empty())
    {
        text += fmt::format("cycle of ranks that wait for each other: {}\n", DescribeCycle(cycle));
    }
    text += fmt::format("{} did not finish:\n", CountText(ranks.size(), "rank"));
    for (size_t i = 0; i < std::min(ranks.size(), most); ++i)
    {
        text += DescribeRank(ranks[i]);
    }
    return text + DescribeRest(ranks.size(), most, "rank");
}

} // namespace nadi
