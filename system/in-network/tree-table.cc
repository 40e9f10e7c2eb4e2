// SPDX-License-Identifier: GPL-2.0-only
#include "system/in-network/tree-table.h"

#include "common/error.h"
#include "network/computing-switches.h"
#include "network/find-aggregation-trees.h"
#include "system/rank-text.h"

#include <fmt/format.h>

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

[[noreturn]] void
ThrowUnreached(const std::string& algorithm,
               const std::vector<RankId>& ranks,
               const TreeDemand& demand)
{
    throw ConfigError("system.collectives",
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
                   const TreeDemand& demand)
{
    const TreeGroup* const found = Find(ranks, demand);
    if (found == nullptr)
    {
        ThrowUnreached(algorithm, ranks, demand);
    }
    return *found;
}

const TreeGroup*
TreeTable::Find(const std::vector<RankId>& ranks, const TreeDemand& demand)
{
    const auto [place, isNew] = m_groups.try_emplace(Key(ranks, demand.most, demand.isFlat));
    if (isNew)
    {
        place->second = Make(ranks, demand);
    }
    return place->second.get();
}

std::unique_ptr<TreeGroup>
TreeTable::Make(const std::vector<RankId>& ranks, const TreeDemand& demand)
{
    std::vector<VertexId> members;
    for (const RankId rank : ranks)
    {
        members.push_back(VertexOf(rank));
    }
    AggregationTrees found =
        FindAggregationTrees(m_topology,
                             m_computes,
                             members,
                             {.mostTrees = demand.most, .switchLatency = m_options.latency});
    if (demand.isFlat)
    {
        std::erase_if(found.trees, [](const AggregationTree& tree) { return !IsFlat(tree); });
    }
    found.trees = m_places.KeepThoseWithRoom(found.trees, members);
    if (found.trees.empty())
    {
        return nullptr;
    }
    std::vector<PlaceUse> places = m_places.FindUses(found.trees, members);
    return std::make_unique<TreeGroup>(
        static_cast<uint32_t>(ranks.size()), std::move(found), std::move(places));
}

} // namespace nadi
