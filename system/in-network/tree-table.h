// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/in-network-options.h"
#include "network/topology.h"
#include "system/collective-plan.h"
#include "system/communicator.h"
#include "system/in-network/place-table.h"
#include "system/in-network/switch-reducers.h"
#include "system/in-network/tree-group.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace nadi
{

/// The ranks of a line of a communicator, by their coordinates. `lineBase` is its first member.
std::vector<RankId>
FindLine(const CommunicatorLayout& layout, uint32_t dimension, uint32_t lineBase);

/// The trees of all groups of ranks that switches help; found when first asked for, kept as long as
/// the table.
class TreeTable
{
  public:
    /// The topology outlives the table. Throws ConfigError as FindComputingSwitches.
    TreeTable(const Topology& topology, const InNetworkOptions& options);

    /// Null: no switch that computes joins the ranks as the demand wants it. Requires: two ranks or
    /// more, each once.
    const TreeGroup* Find(const std::vector<RankId>& ranks, const TreeDemand& demand);

    /// The same for an algorithm that cannot do without; throws ConfigError where Find has none.
    /// `where`: the key that chose the algorithm.
    const TreeGroup& Require(const std::string& algorithm,
                             const std::vector<RankId>& ranks,
                             const TreeDemand& demand,
                             const std::string& where = "system.collectives");

    /// Of trees on switches; each TreeGroup knows its own.
    const PlaceTable& Places() const
    {
        return m_places;
    }

    /// None: they reduce as fast as anything arrives.
    SwitchReducers* Reducers()
    {
        return m_reducers ? &*m_reducers : nullptr;
    }

    /// By vertex: whether it is a switch that computes.
    const std::vector<bool>& Computing() const
    {
        return m_computes;
    }

    bool IsSwitch(VertexId vertex) const
    {
        return vertex.value >= m_topology.NpuCount();
    }

    const std::string& NameOf(VertexId vertex) const
    {
        return m_topology.Vertex(vertex).name;
    }

    const InNetworkOptions& Options() const
    {
        return m_options;
    }

  private:
    using Key = std::tuple<std::vector<RankId>, uint32_t, bool, std::vector<std::vector<uint32_t>>>;

    std::unique_ptr<TreeGroup> Make(const std::vector<RankId>& ranks, const TreeDemand& demand);
    std::unique_ptr<TreeGroup> MakeOfParts(const std::vector<RankId>& ranks,
                                           const TreeDemand& demand);
    AggregationTrees FindTrees(const std::vector<VertexId>& members, const TreeDemand& demand);

    const Topology& m_topology;
    InNetworkOptions m_options;
    std::vector<bool> m_computes; // by vertex
    PlaceTable m_places;
    std::optional<SwitchReducers> m_reducers;
    std::map<Key, std::unique_ptr<TreeGroup>> m_groups;
};

} // namespace nadi
