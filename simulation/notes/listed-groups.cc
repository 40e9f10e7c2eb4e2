// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/notes/listed-groups.h"

#include "network/neighbour-rates.h"
#include "network/stack-topology.h"
#include "simulation/job-calls.h"
#include "system/communicator.h"
#include "system/rank-text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

namespace nadi
{

namespace
{

/// Whether members pass on what is for others, or what they have added to.
bool
PassesOn(CollectiveType type)
{
    switch (type)
    {
    case CollectiveType::AllToAll:
    case CollectiveType::Gather:
    case CollectiveType::Scatter:
    case CollectiveType::Barrier:
        return false;
    default:
        return true;
    }
}

/// The groups that call such a collective, and run it along dimensions. Which ones a cluster that
/// serves will call is not known yet, so all count.
std::set<CommunicatorId>
FindPassingGroups(const RunInput& input)
{
    std::set<CommunicatorId> groups;
    if (input.Serving() != nullptr)
    {
        for (const Communicator& group : input.Workload().communicators)
        {
            groups.insert(group.id);
        }
        return groups;
    }
    const SystemOptions& options = input.Config().system.options;
    for (const JobCall& call : FindCalls(input.Workload(), options))
    {
        const bool isAlong = !call.node && !options.algorithms.at(call.type).isFlat;
        if (isAlong && !call.isUneven && PassesOn(call.type))
        {
            groups.insert(call.communicator);
        }
    }
    return groups;
}

bool
HasUnequalRates(const std::vector<Dimension>& stack)
{
    std::set<int64_t> rates;
    for (const Dimension& dimension : stack)
    {
        if (dimension.size > 1)
        {
            rates.insert(dimension.bandwidth.BitsPerSecond());
        }
    }
    return rates.size() > 1;
}

/// Whether the group is no grid, though some members share a line of the innermost dimension and
/// others do not: bytes that could stay inside the line leave it.
bool
IsListed(const Communicator& group, const RankGrid& stack, const RankPlacement& places)
{
    std::set<uint32_t> lines;
    for (const RankId rank : group.ranks)
    {
        lines.insert(places.PlaceOf(rank) / stack.Size(0));
    }
    const bool isBetween = lines.size() > 1 && lines.size() < group.ranks.size();
    return isBetween && CommunicatorLayout(group, stack, places).IsFlat();
}

using Groups = std::vector<const Communicator*>;

/// The groups that are listed and pass data on. Hardly any job has a listed group, and the calls
/// need not be looked at then.
Groups
FindListedGroups(const RunInput& input)
{
    const RankGrid stack = MakeGrid(input.Stack());
    Groups listed;
    for (const Communicator& group : input.Workload().communicators)
    {
        if (IsListed(group, stack, input.Places()))
        {
            listed.push_back(&group);
        }
    }
    if (!listed.empty())
    {
        const std::set<CommunicatorId> passing = FindPassingGroups(input);
        std::erase_if(listed,
                      [&](const Communicator* group) { return !passing.contains(group->id); });
    }
    return listed;
}

/// The largest number that divides how many members each group has in each line of the innermost
/// dimension.
uint32_t
FindCommonPart(const Groups& groups, uint32_t line)
{
    uint32_t part = 0;
    for (const Communicator* group : groups)
    {
        std::map<uint32_t, uint32_t> members; // by line
        for (const RankId rank : group->ranks)
        {
            ++members[rank.value / line];
        }
        for (const auto& [at, count] : members)
        {
            part = std::gcd(part, count);
        }
    }
    return part;
}

/// Sizes of a stack in which all these groups are grids, and whose innermost lines lie in those of
/// the present one.
std::optional<std::vector<uint32_t>>
FindFittingStack(const RunInput& input, const Groups& groups)
{
    const uint32_t line = input.Stack().front().size;
    if (!input.Topology().Dimensions().empty() || !input.Places().IsLinear())
    {
        return std::nullopt;
    }
    const uint32_t part = FindCommonPart(groups, line);
    if (part < 2 || line % part != 0)
    {
        return std::nullopt;
    }
    const std::vector<uint32_t> sizes{part, input.Workload().RankCount() / part};
    const bool areGrids =
        std::ranges::none_of(groups,
                             [&](const Communicator* group)
                             { return IsListed(*group, RankGrid(sizes), RankPlacement()); });
    return areGrids ? std::optional(sizes) : std::nullopt;
}

std::string
DescribeCure(const RunInput& input, const Groups& groups)
{
    if (const auto sizes = FindFittingStack(input, groups))
    {
        return fmt::format("write system.dimensions: [{}]", fmt::join(*sizes, ", "));
    }
    return fmt::format("choose sizes of groups, or a workload.placement, that give a group as many "
                       "ranks, at the same places, in each {} where it has some",
                       input.Stack().front().size);
}

} // namespace

bool
PassesDataOverUnequalWays(const RunInput& input)
{
    std::vector<std::vector<VertexId>> lists;
    for (const CommunicatorId id : FindPassingGroups(input))
    {
        std::vector<VertexId>& list = lists.emplace_back();
        for (const RankId rank : input.Workload().communicators[id.value].ranks)
        {
            list.push_back(VertexOf(rank));
        }
    }
    return HaveUnequalNeighbours(
        input.Topology(), input.Routing(), lists, input.Config().network.packet);
}

std::vector<std::string>
FindListedGroupNotes(const RunInput& input)
{
    if (!input.PlansByDimensions() || !HasUnequalRates(input.Stack()))
    {
        return {};
    }
    const Groups groups = FindListedGroups(input);
    if (groups.empty())
    {
        return {};
    }
    const size_t more = groups.size() - 1;
    return {fmt::format("communicator {} {}{} no grid in the logical stack [{}]: collectives run "
                        "over one list of ranks, in which the slowest neighbours set the pace; {}",
                        groups.front()->id.value,
                        ToRankListText(groups.front()->ranks),
                        more == 0 ? " is" : fmt::format(" and {} more are", more),
                        fmt::join(SizesOf(input.Stack()), ", "),
                        DescribeCure(input, groups))};
}

} // namespace nadi
