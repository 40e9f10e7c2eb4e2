// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/copy-numbering.h"

#include "common/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nadi
{

namespace
{

/// Stages are the outermost axis, so that copies go just inside of them. Throws ConfigError.
AxisNumbering
NumberingOfSingle(const JobStructure& structure, uint32_t rankCount)
{
    const uint32_t stages = structure.degrees.pipeline.value_or(1);
    std::vector<uint32_t> stageOfRank;
    for (const RankStructure& rank : structure.ranks)
    {
        stageOfRank.push_back(rank.stage);
    }
    const std::optional<AxisNumbering> ofStages = FindNumbering(stageOfRank, stages);
    // Each stage must be one block of neighbouring ranks. The single copy has all ranks of a block,
    // and further copies follow it within the block.
    const bool areOuter = ofStages && ofStages->stride * stages == rankCount;
    if (stages > 1 && !areOuter)
    {
        throw ConfigError("what-if: dp",
                          "stages are not the outermost axis of the ranks, so the numbers of other "
                          "copies are unknown");
    }
    return {std::max(1U, rankCount / stages), 1};
}

/// "all-reduce and all-to-all": what is called on groups of as many ranks as there are copies.
std::string
ListCalls(const JobStructure& structure, uint32_t copies)
{
    std::set<std::string> types;
    for (const GroupUse& use : structure.groups)
    {
        for (const auto& [type, count] : use.calls)
        {
            if (use.ranks.size() == copies)
            {
                types.insert(type);
            }
        }
    }
    return fmt::format("{}", fmt::join(types, " and "));
}

/// What the groups of as many ranks as there are copies do instead of what those of copies do.
std::string
DescribeGroups(const JobStructure& structure, uint32_t copies)
{
    const std::string calls = ListCalls(structure, copies);
    const bool onlySums = std::ranges::any_of(
        structure.groups,
        [copies](const GroupUse& use) { return use.ranks.size() == copies && OnlySums(use); });
    if (calls.empty())
    {
        return fmt::format("there are none of {} ranks", copies);
    }
    return onlySums ? fmt::format("those of {} ranks sum within layers, as the ranks of a tensor "
                                  "group do",
                                  copies)
                    : fmt::format("those of {} ranks call {}", copies, calls);
}

std::string
DescribeUnknownCopies(const JobStructure& structure)
{
    const uint32_t copies = structure.degrees.data.value_or(1);
    if (copies > 1)
    {
        return fmt::format(
            "{} copies are told by groups of {} ranks that do nothing but sum, one for each rank; "
            "{}; nadi trace structure lists the groups",
            copies,
            copies,
            DescribeGroups(structure, copies));
    }
    const auto hasGroup = [&structure](auto isMeant)
    { return std::ranges::any_of(structure.groups, isMeant); };
    if (hasGroup([](const GroupUse& use)
                 { return use.role == GroupRole::Data && use.ranks.size() == 1; }))
    {
        return "the groups of copies have one rank each, as far as traces and groups say, so which "
               "ranks would be copies is unknown; give the groups of all ranks with --groups";
    }
    return hasGroup([](const GroupUse& use) { return use.ranks.size() > 1 && OnlySums(use); })
               ? "which ranks are copies of each other cannot be told without layers; "
                 "--degrees dp=N says how many there are"
               : "no group does nothing but sum, as copies sum their gradients, so no ranks "
                 "are copies of each other; nadi trace structure lists what groups do";
}

} // namespace

AxisNumbering
FindCopyNumbering(const JobStructure& structure, uint32_t rankCount)
{
    const uint32_t copies = structure.degrees.data.value_or(1);
    if (structure.degrees.data == 1U && structure.HasLayers())
    {
        return NumberingOfSingle(structure, rankCount);
    }
    for (const GroupUse& use : structure.groups)
    {
        // A group on which copies sum has the parts of a sequence as members, too.
        if (use.role != GroupRole::Data || copies < 2 || use.ranks.size() % copies != 0 ||
            use.ranks.size() != uint64_t{copies} * structure.degrees.context.value_or(1))
        {
            continue;
        }
        // The group has to list the ranks of one copy first, then those of the next, as ascending
        // ranks do. The same part of the next copy is one stride on.
        const auto ofCopy = static_cast<uint32_t>(use.ranks.size()) / copies;
        const AxisNumbering numbering{use.ranks[ofCopy] - use.ranks[0], copies};
        bool isEven = use.ranks[ofCopy] > use.ranks[0] && rankCount % copies == 0;
        for (uint32_t member = 0; isEven && member < use.ranks.size(); ++member)
        {
            // Only the first two copies gave the numbering, so every member is compared with it.
            isEven = use.ranks[member] ==
                         use.ranks[member % ofCopy] + member / ofCopy * numbering.stride &&
                     numbering.PlaceOf(use.ranks[member]) == member / ofCopy;
        }
        if (isEven)
        {
            return numbering;
        }
        throw ConfigError("what-if: dp",
                          fmt::format("the {} copies of rank {} do not stand equally far apart",
                                      copies,
                                      use.ranks[0]));
    }
    throw ConfigError("what-if: dp", DescribeUnknownCopies(structure));
}

} // namespace nadi
