// SPDX-License-Identifier: GPL-2.0-only
#include "network/lower-bound.h"

#include "common/check.h"

#include <algorithm>
#include <compare>
#include <functional>
#include <queue>

namespace nadi
{

namespace
{

/// Finds the two members that are nearest to each other, by latency. One search of shortest paths
/// (Dijkstra) begins at all members at once, instead of one for each member. Each vertex keeps the
/// two members that reach it first. A member reaches itself at distance 0, so the second one to
/// reach it is its nearest neighbour. At the vertices between, two are enough as well: at least one
/// of them is not the member at the other end.
class NearestPairSearch
{
  public:
    NearestPairSearch(const Topology& topology, SimTime switchLatency)
        : m_topology(topology)
        , m_switchLatency(switchLatency)
        , m_isMember(topology.VertexCount(), false)
        , m_sources(topology.VertexCount())
    {
    }

    /// Requires: there are two members, of a connected topology.
    SimTime Search(const std::vector<RankId>& members)
    {
        for (const RankId member : members)
        {
            const VertexId vertex{member.value};
            m_isMember[vertex.value] = true;
            m_queue.push({SimTime{}, vertex, vertex});
        }
        while (true)
        {
            NADI_CHECK(!m_queue.empty());
            const Visit visit = m_queue.top();
            m_queue.pop();
            if (m_isMember[visit.at.value] && visit.source != visit.at)
            {
                return visit.distance; // the first such visit, as visits come by distance
            }
            if (IsNew(visit))
            {
                m_sources[visit.at.value].push_back(visit.source);
                GoOn(visit);
            }
        }
    }

  private:
    struct Visit
    {
        SimTime distance;
        VertexId at;
        VertexId source;

        auto operator<=>(const Visit&) const = default;
    };

    /// Whether the visit is of use: its source is the first or the second to come to the vertex.
    bool IsNew(const Visit& visit) const
    {
        const std::vector<VertexId>& known = m_sources[visit.at.value];
        return known.empty() || (known.size() == 1 && known.front() != visit.source);
    }

    /// The latency of a switch counts where it is entered, as in PathLatency.
    void GoOn(const Visit& visit)
    {
        for (const LinkId id : m_topology.LinksFrom(visit.at))
        {
            const TopologyLink& link = m_topology.Link(id);
            const bool isSwitch = m_topology.Vertex(link.to).kind == VertexKind::Switch;
            const Visit next{visit.distance + link.latency +
                                 (isSwitch ? m_switchLatency : SimTime{}),
                             link.to,
                             visit.source};
            if (IsNew(next))
            {
                m_queue.push(next);
            }
        }
    }

    const Topology& m_topology;
    SimTime m_switchLatency;
    std::vector<bool> m_isMember;
    std::vector<std::vector<VertexId>> m_sources; // by vertex: who has reached it, at most two
    std::priority_queue<Visit, std::vector<Visit>, std::greater<>> m_queue;
};

/// In bits per second. The ports of a million members together may pass 64 bits.
using RateSum = detail::Wide;

/// No bytes take no time, even if there are no links and so no rate to divide by.
SimTime
TimeThrough(Bytes size, RateSum rate)
{
    const detail::Wide bitPs = detail::Wide{size.Count()} * 8 * 1'000'000'000'000;
    return size == Bytes(0) ? SimTime{} : SimTime::FromPs(detail::DivideRoundingUp(bitPs, rate));
}

struct PortRates
{
    RateSum out = 0;
    RateSum in = 0;
};

PortRates
SumPorts(const Topology& topology, VertexId vertex)
{
    PortRates rates;
    for (const LinkId id : topology.LinksFrom(vertex))
    {
        if (topology.IsMemoryLink(id))
        {
            continue; // no other NPU is behind it
        }
        const TopologyLink& link = topology.Link(id);
        rates.out += link.bandwidth.BitsPerSecond();
        rates.in += topology.Link(link.reverse).bandwidth.BitsPerSecond();
    }
    return rates;
}

} // namespace

SimTime
ComputeLowerBound(const Topology& topology, const CollectiveBytes& bytes, SimTime smallestLatency)
{
    SimTime longest;
    PortRates all;
    for (const MandatoryBytes& member : bytes.members)
    {
        const PortRates own = SumPorts(topology, VertexOf(member.rank));
        longest =
            std::max({longest, TimeThrough(member.out, own.out), TimeThrough(member.in, own.in)});
        all = {all.out + own.out, all.in + own.in};
    }
    // An algorithm may spread the work unevenly, and give less to members with slow links. The sum
    // over all members stays the same, so it is compared with the sum of all rates.
    const Bytes together = bytes.average * static_cast<int64_t>(bytes.members.size());
    longest = std::max({longest, TimeThrough(together, all.out), TimeThrough(together, all.in)});
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
