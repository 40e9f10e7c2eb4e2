// SPDX-License-Identifier: GPL-2.0-only
#include "system/rank-text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace nadi
{

std::string
ToRankListText(std::vector<RankId> ranks)
{
    std::sort(ranks.begin(), ranks.end());
    std::string text;
    for (size_t first = 0; first < ranks.size();)
    {
        size_t last = first;
        while (last + 1 < ranks.size() && ranks[last + 1].value == ranks[last].value + 1)
        {
            ++last;
        }
        // Three or more in a row are written as a range. For two a range would be no shorter.
        last = last - first < 2 ? first : last;
        text += text.empty() ? "" : ", ";
        text += last == first ? fmt::format("{}", ranks[first].value)
                              : fmt::format("{}..{}", ranks[first].value, ranks[last].value);
        first = last + 1;
    }
    return "{" + text + "}";
}

std::string
ToCallerText(RankId rank, NodeId node, const std::string& name)
{
    return name.empty() ? fmt::format("rank {} (node {})", rank.value, node.value)
                        : fmt::format("rank {} (node {} \"{}\")", rank.value, node.value, name);
}

} // namespace nadi
