// SPDX-License-Identifier: GPL-2.0-only
#include "system/in-network/tree-table.h"

#include "common/error.h"
#include "network/computing-switches.h"
#include "network/find-aggregation-trees.h"
#include "system/rank-text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace nadi
{

namespace
{

bool
IsFlat(const AggregationTree& tree)
{
    return tree.Depth() == 1;
}

std::vector<VertexId>
VerticesOf(const std::vector<RankId>& ranks)
{
    std::vector<VertexId> vertices;
    for (const RankId rank : ranks)
    {
        vertices.push_back(VertexOf(rank));
    }
    return vertices;
}

/// Whether none of the switches was known before.
bool
AddSwitches(const AggregationTree& tree, std::set<VertexId>& switches)
{
    for (uint32_t node = tree.MemberCount(); node < tree.NodeCount(); ++node)
    {
        if (!switches.insert(tree.HelperVertex(node)).second)
        {
            return false;
        }
    }
    return true;
}

void
AddPart(AggregationTrees& all, const AggregationTrees& part)
{
    // All parts run with one plan, and so with one window, which must suffice for the part that
    // needs most.
    all.trees.push_back(part.trees.front());
    all.memberRate = std::max(all.memberRate, part.memberRate);
    all.roundTrip = std::max(all.roundTrip, part.roundTrip);
    all.nanosecondsPerByte = std::max(all.nanosecondsPerByte, part.nanosecondsPerByte);
}

[[noreturn]] void
ThrowUnreached(const std::string& algorithm,
               const std::vector<RankId>& ranks,
               const TreeDemand& demand,
               const std::string& where)
{
    throw ConfigError(where,
                      fmt::format("{} cannot run among ranks {}: {}",
                                  algorithm,
                                  ToRankListText(ranks),
                                  demand.isFlat
                                      ? "they do not hang on one switch that computes; use "
                                        "in-network, or a communicator of fewer ranks"
                                      : "no switch that computes reaches all of them over switches "
                                        "alone; see network.in-network.switches, or use ring"));
}

} // namespace

std::vector<RankId>
FindLine(const CommunicatorLayout& layout, uint32_t dimension, uint32_t lineBase)
{
    const RankGrid& grid = layout.Members();
    std::vector<RankId> ranks;
    for (uint32_t index = 0; index < grid.Size(dimension); ++index)
    {
        ranks.push_back(layout.RankOf(grid.WithCoordinate(lineBase, dimension, index)));
    }
    return ranks;
}

TreeTable::TreeTable(const Topology& topology, const InNetworkOptions& options)
    : m_topology(topology)
    , m_options(options)
    , m_computes(FindComputingSwitches(topology, options))
    , m_places(topology, options.places)
{
    if (options.bandwidth)
    {
        m_reducers.emplace(*options.bandwidth);
    }
}

const TreeGroup&
TreeTable::Require(const std::string& algorithm,
                   const std::vector<RankId>& ranks,
                   const TreeDemand& demand,
                   const std::string& where)
{
    const TreeGroup* const found = Find(ranks, demand);
    if (found == nullptr)
    {
        ThrowUnreached(algorithm, ranks, demand, where);
    }
    return *found;
}

const TreeGroup*
TreeTable::Find(const std::vector<RankId>& ranks, const TreeDemand& demand)
{
    // The slice of the demand is no part of the key, since no tree depends on it.
    const auto [place, isNew] =
        m_groups.try_emplace(Key(ranks, demand.most, demand.isFlat, demand.parts));
    // Null is kept too: it says that there is no tree.
    if (isNew)
    {
        place->second = demand.parts.empty() ? Make(ranks, demand) : MakeOfParts(ranks, demand);
    }
    return place->second.get();
}

std::unique_ptr<TreeGroup>
TreeTable::Make(const std::vector<RankId>& ranks, const TreeDemand& demand)
{
    const std::vector<VertexId> members = VerticesOf(ranks);
    AggregationTrees found = FindTrees(members, demand);
    if (found.trees.empty())
    {
        return nullptr;
    }
    std::vector<PlaceUse> places = m_places.FindUses(found.trees, members);
    return std::make_unique<TreeGroup>(
        static_cast<uint32_t>(ranks.size()), std::move(found), std::move(places));
}

/// Null too where two parts have a switch in common, which then would help twice.
std::unique_ptr<TreeGroup>
TreeTable::MakeOfParts(const std::vector<RankId>& ranks, const TreeDemand& demand)
{
    AggregationTrees all;
    all.areOfParts = true;
    std::vector<PlaceUse> places;
    std::set<VertexId> switches;
    for (const std::vector<uint32_t>& part : demand.parts)
    {
        std::vector<VertexId> members;
        for (const uint32_t member : part)
        {
            members.push_back(VertexOf(ranks[member]));
        }
        // Each part has exactly one tree, since tree i of such a group is that of part i.
        const AggregationTrees found = FindTrees(members, {.most = 1, .isFlat = demand.isFlat});
        if (found.trees.empty() || !AddSwitches(found.trees.front(), switches))
        {
            return nullptr;
        }
        const std::vector<PlaceUse> uses = m_places.FindUses(found.trees, members);
        places.insert(places.end(), uses.begin(), uses.end());
        AddPart(all, found);
    }
    return std::make_unique<TreeGroup>(
        static_cast<uint32_t>(ranks.size()), std::move(all), std::move(places));
}

/// As many as there is room for; none where the demand cannot be met.
AggregationTrees
TreeTable::FindTrees(const std::vector<VertexId>& members, const TreeDemand& demand)
{
    AggregationTrees found =
        FindAggregationTrees(m_topology,
                             m_computes,
                             members,
                             {.mostTrees = demand.most, .switchLatency = m_options.latency});
    if (demand.isFlat)
    {
        std::erase_if(found.trees, [](const AggregationTree& tree) { return !IsFlat(tree); });
    }
    // A collective takes the places of all its trees at once, so with more trees than have room
    // together it could never get them.
    found.trees = m_places.KeepThoseWithRoom(found.trees, members);
    return found;
}

} // namespace nadi
