// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/place-demand.h"

#include "common/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace nadi
{

namespace
{

/// The trees of all lines of a dimension, on which an algorithm runs.
void
AddGroups(const ChosenAlgorithm& chosen,
          const CommunicatorLayout& layout,
          uint32_t dimension,
          TreeTable& trees,
          std::set<const TreeGroup*>& groups)
{
    const std::optional<TreeDemand> demand = chosen.algorithm->NeedsTrees();
    for (uint32_t member = 0; demand && member < layout.Size(); ++member)
    {
        // Each line is named by its member with coordinate 0, so every line comes once.
        if (layout.Members().Coordinate(member, dimension) == 0)
        {
            groups.insert(
                &trees.Require(chosen.name, FindLine(layout, dimension, member), *demand));
        }
    }
}

} // namespace

std::vector<PlaceUse>
FindPlaceDemand(const CollectiveProgram& program,
                const CommunicatorLayout& layout,
                TreeTable& trees)
{
    // Several types of phases of a line may use the same trees, which take their places once, so
    // this is a set. Its order is that of addresses, which may differ from run to run; the sums by
    // place do not depend on the order.
    std::set<const TreeGroup*> groups;
    for (const auto& [phase, chosen] : program.algorithms)
    {
        AddGroups(*chosen, layout, phase.first, trees, groups);
    }
    std::map<uint32_t, uint32_t> counts;
    for (const TreeGroup* group : groups)
    {
        for (const PlaceUse& use : group->Places())
        {
            counts[use.place] += use.trees;
        }
    }
    std::vector<PlaceUse> demand;
    for (const auto& [place, count] : counts)
    {
        demand.push_back({place, count});
    }
    return demand;
}

bool
CanHavePlaces(const std::vector<PlaceUse>& demand, const PlaceTable& places)
{
    return std::all_of(demand.begin(),
                       demand.end(),
                       [&](const PlaceUse& use) { return use.trees <= places.Capacity(); });
}

bool
AreAwaited(const TreeTable& trees)
{
    return trees.Places().IsLimited() &&
           trees.Options().whenBusy == InNetworkOptions::WhenBusy::Wait;
}

void
CheckCanHavePlaces(const std::vector<PlaceUse>& demand,
                   const TreeTable& trees,
                   CommunicatorId communicator)
{
    if (AreAwaited(trees) && !CanHavePlaces(demand, trees.Places()))
    {
        throw ConfigError(trees.Options().where,
                          fmt::format("groups: a collective of communicator {} has more trees on a "
                                      "switch than have room; write more groups, or when-busy: "
                                      "endpoint",
                                      communicator.value));
    }
}

PlaceRules
FindPlaceRules(const TreeTable* trees)
{
    if (trees == nullptr || !trees->Places().IsLimited())
    {
        return {};
    }
    return {.capacity = trees->Places().Capacity(),
            .areOptional = trees->Options().whenBusy == InNetworkOptions::WhenBusy::Endpoint};
}

} // namespace nadi
