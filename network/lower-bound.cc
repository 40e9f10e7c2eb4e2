// SPDX-License-Identifier: GPL-2.0-only
#include "network/lower-bound.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace nadi
{

namespace
{

/// Shortest-path searches by latency from one member after the other. Each ends at the nearest
/// other member, or where it could not better what an earlier one found.
class NearestPairSearch
{
  public:
    NearestPairSearch(const Topology& topology, SimTime switchLatency)
        : m_topology(topology)
        , m_switchLatency(switchLatency)
        , m_isMember(topology.VertexCount(), false)
        , m_distances(topology.VertexCount(), SimTime::Max())
    {
    }

    SimTime Search(const std::vector<RankId>& members)
    {
        for (const RankId member : members)
        {
            m_isMember[member.value] = true;
        }
        for (const RankId member : members)
        {
            SearchFrom(VertexId{member.value});
        }
        return m_best;
    }

  private:
    using Entry = std::pair<SimTime, VertexId>;

    void SearchFrom(VertexId start)
    {
        m_queue = {};
        Reach(start, SimTime{});
        while (!m_queue.empty())
        {
            const auto [distance, at] = m_queue.top();
            m_queue.pop();
            if (at != start && m_isMember[at.value])
            {
                m_best = distance; // smaller than before, or it would not have been queued
                break;
            }
            if (distance == m_distances[at.value])
            {
                ReachFrom(at, distance);
            }
        }
        for (const VertexId vertex : m_reached)
        {
            m_distances[vertex.value] = SimTime::Max();
        }
        m_reached.clear();
    }

    void ReachFrom(VertexId at, SimTime distance)
    {
        for (const LinkId id : m_topology.LinksFrom(at))
        {
            const TopologyLink& link = m_topology.Link(id);
            const bool isSwitch = m_topology.Vertex(link.to).kind == VertexKind::Switch;
            Reach(link.to, distance + link.latency + (isSwitch ? m_switchLatency : SimTime{}));
        }
    }

    void Reach(VertexId vertex, SimTime distance)
    {
        if (distance < m_distances[vertex.value] && distance < m_best)
        {
            m_distances[vertex.value] = distance;
            m_reached.push_back(vertex);
            m_queue.push({distance, vertex});
        }
    }

    const Topology& m_topology;
    SimTime m_switchLatency;
    SimTime m_best = SimTime::Max();
    std::vector<bool> m_isMember;
    std::vector<SimTime> m_distances; // from the present start; Max: not reached
    std::vector<VertexId> m_reached;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> m_queue;
};

SimTime
TimeThrough(Bytes size, Bandwidth rate)
{
    return size == Bytes(0) ? SimTime{} : size / rate;
}

} // namespace

SimTime
ComputeLowerBound(const Topology& topology,
                  const std::vector<MandatoryBytes>& members,
                  SimTime smallestLatency)
{
    SimTime longest;
    for (const MandatoryBytes& member : members)
    {
        Bandwidth out;
        Bandwidth in;
        for (const LinkId id : topology.LinksFrom(VertexId{member.rank.value}))
        {
            const TopologyLink& link = topology.Link(id);
            out = out + link.bandwidth;
            in = in + topology.Link(link.reverse).bandwidth;
        }
        longest = std::max({longest, TimeThrough(member.out, out), TimeThrough(member.in, in)});
    }
    return longest + smallestLatency;
}

SimTime
FindSmallestLatency(const Topology& topology,
                    const std::vector<RankId>& members,
                    SimTime switchLatency)
{
    if (members.size() < 2)
    {
        return SimTime{};
    }
    return NearestPairSearch(topology, switchLatency).Search(members);
}

} // namespace nadi
