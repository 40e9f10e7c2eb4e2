// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/notes/listed-groups.h"

#include "configuration/topology-section.h"
#include "network/neighbour-rates.h"
#include "network/stack-topology.h"
#include "simulation/job-calls.h"
#include "simulation/notes/fitting-stack.h"
#include "simulation/serving-groups.h"
#include "system/communicator.h"
#include "system/rank-text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

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

/// The groups that call such a collective, and run it along dimensions.
std::set<CommunicatorId>
FindPassingGroups(const RunInput& input)
{
    const SystemOptions& options = input.Config().system.options;
    if (input.Serving() != nullptr)
    {
        return options.algorithms.at(CollectiveType::AllReduce).isFlat
                   ? std::set<CommunicatorId>{}
                   : FindSummingGroups(*input.Serving());
    }
    std::set<CommunicatorId> groups;
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

bool
HasNodes(const RunInput& input)
{
    return !FindNodeStack(input.Config().network).empty();
}

/// The NPUs of a node. Where the network has no nodes, the lines of the innermost dimension take
/// their place.
uint32_t
FindNodeSize(const RunInput& input)
{
    return HasNodes(input) ? FindNodeStack(input.Config().network).front()
                           : input.Stack().front().size;
}

NodeOfRank
FindNodesOfRanks(const RunInput& input)
{
    const RankPlacement& places = HasNodes(input) ? input.Topology().Placement() : input.Places();
    const uint32_t size = FindNodeSize(input);
    NodeOfRank nodes;
    for (uint32_t rank = 0; rank < input.Workload().RankCount(); ++rank)
    {
        nodes.push_back(places.PlaceOf(rank) / size);
    }
    return nodes;
}

size_t
CountNodes(const Communicator& group, const NodeOfRank& nodes)
{
    std::set<uint32_t> found;
    for (const RankId rank : group.ranks)
    {
        found.insert(nodes[rank.value]);
    }
    return found.size();
}

/// Whether the group is no grid, though some members share a node and others do not: bytes that
/// could stay inside a node leave it.
bool
IsListed(const Communicator& group, const RunInput& input, const NodeOfRank& nodes)
{
    const size_t count = CountNodes(group, nodes);
    return count > 1 && count < group.ranks.size() &&
           CommunicatorLayout(group, MakeGrid(input.Stack()), input.Places()).IsFlat();
}

using Groups = std::vector<CrossingGroup>;

/// The groups that pass data on between nodes, the listed ones first. None if no group is listed:
/// hardly any job has such a group, and the calls need not be looked at then.
Groups
FindCrossingGroups(const RunInput& input, const NodeOfRank& nodes)
{
    const auto isListed = [&](const Communicator& group) { return IsListed(group, input, nodes); };
    if (std::ranges::none_of(input.Workload().communicators, isListed))
    {
        return {};
    }
    const RankGrid stack = MakeGrid(input.Stack());
    Groups groups;
    for (const CommunicatorId id : FindPassingGroups(input))
    {
        const Communicator& group = input.Workload().communicators[id.value];
        if (CountNodes(group, nodes) > 1)
        {
            const CommunicatorLayout layout(group, stack, input.Places());
            groups.push_back({.group = &group,
                              .inside = CountInside(layout, nodes),
                              .isListed = isListed(group)});
        }
    }
    std::ranges::stable_partition(groups, &CrossingGroup::isListed);
    return groups;
}

std::string
DescribeCure(const RunInput& input, const NodeOfRank& nodes, const Groups& groups)
{
    std::string without; // other stacks
    // The stack of a network of dimensions is its own.
    if (input.Topology().Dimensions().empty())
    {
        if (const auto sizes = FindFittingStack(groups, nodes))
        {
            return fmt::format("write system.dimensions: [{}]", fmt::join(*sizes, ", "));
        }
        without = "no system.dimensions serve all groups, so ";
    }
    return fmt::format("{}choose sizes of groups, or a workload.placement, that give a group as "
                       "many ranks, at the same places, in each {} of {} NPUs where it has some",
                       without,
                       HasNodes(input) ? "node" : "line",
                       FindNodeSize(input));
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
    const NodeOfRank nodes = FindNodesOfRanks(input);
    const Groups groups = FindCrossingGroups(input, nodes);
    const auto listed = std::ranges::count_if(groups, &CrossingGroup::isListed);
    if (listed == 0)
    {
        return {};
    }
    const Communicator& first = *groups.front().group;
    return {fmt::format("communicator {} {}{} no grid in the logical stack [{}]: collectives run "
                        "over one list of ranks, in which the slowest neighbours set the pace; {}",
                        first.id.value,
                        ToRankListText(first.ranks),
                        listed == 1 ? " is" : fmt::format(" and {} more are", listed - 1),
                        fmt::join(SizesOf(input.Stack()), ", "),
                        DescribeCure(input, nodes, groups))};
}

} // namespace nadi
