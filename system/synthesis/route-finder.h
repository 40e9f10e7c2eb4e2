// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/routing.h"
#include "network/topology.h"
#include "system/synthesis/route-model.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace nadi::synthesis
{

/// Follows the routing of a network for a RouteModel.
class RouteFinder
{
  public:
    RouteFinder(const Topology& topology,
                const Routing& routing,
                SimTime switchLatency,
                const std::vector<RankId>& ranks,
                const std::optional<PickedWays>& picked,
                RouteModel& model);

    /// Adds all ways that the model should have, and the rates of the links.
    void Find();

    /// The same for a model with a way for each of `pairs`.
    void FindBetween(const std::vector<std::pair<uint32_t, uint32_t>>& pairs);

  private:
    static constexpr uint32_t NOBODY = UINT32_MAX;

    /// Whether a way may cross members.
    enum class Crossing
    {
        Never,
        Allowed,
    };

    /// A vertex on the routes from one member to another.
    struct Stop
    {
        VertexId vertex;
        uint64_t share = 0;
        SimTime latency;        ///< of the longest way on to the destination
        int64_t forwarding = 0; ///< of the slowest way on; see Way
    };

    const std::vector<LinkId>& FindNextLinks(VertexId at, VertexId to);
    void NumberLinksAndPorts();
    bool AddWay(uint32_t from, uint32_t to, Crossing crossing);
    bool FindStops(VertexId at, VertexId to, Crossing crossing);
    void MeasureStops(VertexId to);
    void LoadLinks(VertexId to, Way& way);
    void AddPorts(const Way& way, VertexId from, VertexId to);
    bool AreJoined() const;
    uint32_t CountReached(uint32_t Way::*near, uint32_t Way::*far) const;
    bool IsMember(VertexId vertex) const;
    Stop& StopAt(VertexId vertex);

    const Topology& m_topology;
    const Routing& m_routing;
    SimTime m_switchLatency;
    const std::vector<RankId>& m_ranks;
    const std::optional<PickedWays>& m_picked;
    RouteModel& m_model;
    std::optional<FlowChoice> m_flow;  // of the way that is being followed, if ECMP picks
    std::vector<LinkId> m_pick;        // the link that it picked last
    std::vector<uint32_t> m_indices;   // by vertex: in the group, or NOBODY
    std::vector<uint32_t> m_stopIndex; // by vertex: in m_stops, while a way is being followed
    std::vector<Stop> m_stops;         // of the way; those nearer to the destination come first
    std::map<std::vector<LinkId>, uint32_t> m_ports;
    std::map<std::vector<LinkId>, uint32_t> m_firstPorts;
};

} // namespace nadi::synthesis
