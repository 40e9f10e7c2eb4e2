// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/notes/unmet-wishes.h"

#include "system/rank-text.h"

#include <fmt/format.h>

#include <map>
#include <set>

namespace nadi
{

namespace
{

/// What ran instead of what.
struct UnmetWish
{
    CollectiveType type;
    std::string used;
    std::string unmet; ///< LibraryDecision::unmet

    auto operator<=>(const UnmetWish&) const = default;
};

/// The groups of ranks for which that happened.
struct UnmetGroups
{
    CommunicatorId first;
    std::set<CommunicatorId> communicators;
};

std::string
DescribeUnmet(const UnmetWish& wish, const UnmetGroups& groups, const RunInput& input)
{
    const size_t more = groups.communicators.size() - 1;
    return fmt::format("{} of communicator {} {}{} ran {}, not {}",
                       ToText(wish.type),
                       groups.first.value,
                       ToRankListText(input.Workload().communicators[groups.first.value].ranks),
                       more == 0 ? "" : fmt::format(" and of {} more", more),
                       wish.used,
                       wish.unmet);
}

} // namespace

std::vector<std::string>
FindUnmetWishes(const RunInput& input, const RunResults& results)
{
    std::map<UnmetWish, UnmetGroups> unmet;
    for (const RanAlgorithm& ran : results.ranAlgorithms)
    {
        if (!ran.unmet.empty())
        {
            const auto entry = unmet.try_emplace({ran.type, ran.algorithm, ran.unmet},
                                                 UnmetGroups{ran.communicator, {}});
            entry.first->second.communicators.insert(ran.communicator);
        }
    }
    std::vector<std::string> sentences;
    for (const auto& [wish, groups] : unmet)
    {
        sentences.push_back(DescribeUnmet(wish, groups, input));
    }
    return sentences;
}

} // namespace nadi
