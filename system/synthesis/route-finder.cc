// SPDX-License-Identifier: GPL-2.0-only
#include "system/synthesis/route-finder.h"

#include "common/check.h"
#include "system/synthesis/way-targets.h"

#include <algorithm>

namespace nadi::synthesis
{

namespace
{

SimTime
TimeToForward(Bandwidth rate)
{
    return Way::FORWARDED / rate;
}

} // namespace

// Each way is found in three passes over the vertices that its messages may cross. The links
// between them form no circle, since the routing never visits a vertex twice. FindStops lists the
// vertices, those nearer to the destination first. In this order MeasureStops adds up latencies
// from the destination back to the source. In the opposite order LoadLinks divides the message
// among the links, so that the whole share of a vertex is known before it is divided further.

RouteFinder::RouteFinder(const Topology& topology,
                         const Routing& routing,
                         SimTime switchLatency,
                         const std::vector<RankId>& ranks,
                         const std::optional<PickedWays>& picked,
                         RouteModel& model)
    : m_topology(topology)
    , m_routing(routing)
    , m_switchLatency(switchLatency)
    , m_ranks(ranks)
    , m_picked(picked)
    , m_model(model)
    , m_indices(topology.VertexCount(), NOBODY)
    , m_stopIndex(topology.VertexCount(), NOBODY)
{
    for (uint32_t index = 0; index < ranks.size(); ++index)
    {
        NADI_CHECK(m_indices[VertexOf(ranks[index]).value] == NOBODY);
        m_indices[VertexOf(ranks[index]).value] = index;
    }
}

void
RouteFinder::Find()
{
    const auto count = static_cast<uint32_t>(m_ranks.size());
    m_model.m_rankCount = count;
    WayTargets targets(m_topology, m_ranks);
    for (uint32_t from = 0; from < count; ++from)
    {
        // Some path leads to a target without crossing another member. The routing may take a
        // different path, so AddWay may refuse.
        for (const uint32_t to : targets.Find(from))
        {
            AddWay(from, to, Crossing::Never);
        }
    }
    // Members that the ways do not join would never get all chunks. In that case every pair gets a
    // way, which may cross other members.
    if (!AreJoined())
    {
        m_model.m_ways.clear();
        m_model.m_hops.clear();
        m_model.m_firstPorts.clear();
        for (uint32_t from = 0; from < count; ++from)
        {
            for (uint32_t to = 0; to < count; ++to)
            {
                NADI_CHECK(from == to || AddWay(from, to, Crossing::Allowed));
            }
        }
    }
    NumberLinksAndPorts();
}

void
RouteFinder::FindBetween(const std::vector<std::pair<uint32_t, uint32_t>>& pairs)
{
    m_model.m_rankCount = static_cast<uint32_t>(m_ranks.size());
    for (const auto& [from, to] : pairs)
    {
        NADI_CHECK(AddWay(from, to, Crossing::Allowed));
    }
    NumberLinksAndPorts();
}

/// Until now hops had the numbers of the topology.
void
RouteFinder::NumberLinksAndPorts()
{
    std::vector<uint32_t> numbers(m_topology.LinkCount(), NOBODY);
    for (WayHop& hop : m_model.m_hops)
    {
        uint32_t& number = numbers[hop.link];
        if (number == NOBODY)
        {
            number = m_model.LinkCount();
            m_model.m_rates.push_back(m_topology.Link(LinkId{hop.link}).bandwidth);
        }
        hop.link = number;
    }
    m_model.m_portCount = static_cast<uint32_t>(m_ports.size());
    m_model.m_firstPortCount = static_cast<uint32_t>(m_firstPorts.size());
}

/// The links that messages of the way take from `at`: all that the routing offers, or the one that
/// ECMP picks, by the function that the networks ask. Valid until the next call.
const std::vector<LinkId>&
RouteFinder::FindNextLinks(VertexId at, VertexId to)
{
    const std::vector<LinkId>& offered = m_routing.FindNextLinks(at, to);
    NADI_CHECK(!offered.empty());
    const auto count = static_cast<uint32_t>(offered.size());
    if (!m_flow || count == 1)
    {
        return offered;
    }
    m_pick.assign(1, offered[PickLink(at, *m_flow, m_picked->seed, count)]);
    return m_pick;
}

bool
RouteFinder::IsMember(VertexId vertex) const
{
    return m_indices[vertex.value] != NOBODY;
}

RouteFinder::Stop&
RouteFinder::StopAt(VertexId vertex)
{
    return m_stops[m_stopIndex[vertex.value]];
}

/// Whether the routing allows it.
bool
RouteFinder::AddWay(uint32_t from, uint32_t to, Crossing crossing)
{
    const VertexId source = VertexOf(m_ranks[from]);
    const VertexId destination = VertexOf(m_ranks[to]);
    if (m_picked)
    {
        // All calls of a communicator take the same ways.
        m_flow =
            MakeFlowChoice(source, destination, MakeCollectiveStream(m_picked->communicator, 0));
    }
    const bool isWay = FindStops(source, destination, crossing);
    if (isWay)
    {
        MeasureStops(destination);
        Way way;
        way.from = from;
        way.to = to;
        way.firstHop = m_model.m_hops.size();
        way.latency = StopAt(source).latency;
        StopAt(source).share = WayHop::WHOLE;
        LoadLinks(destination, way);
        // The slowest link takes the whole message (MessageTimes), so its forwarding does not
        // count.
        way.forwarding = StopAt(source).forwarding - TimeToForward(way.slowest).Ps();
        m_model.m_ways.push_back(way);
        AddPorts(way, source, destination);
    }
    // Only what this way has touched is cleared: m_stopIndex has an entry for each vertex of the
    // network.
    for (const Stop& stop : m_stops)
    {
        m_stopIndex[stop.vertex.value] = NOBODY;
    }
    m_stops.clear();
    return isWay;
}

/// Adds what lies on the routes from `at`, all else before `at` itself. False: a member does.
bool
RouteFinder::FindStops(VertexId at, VertexId to, Crossing crossing)
{
    if (at != to)
    {
        // This is a copy: the answer is valid only until the next call, which the recursion makes.
        const std::vector<LinkId> links = FindNextLinks(at, to);
        for (const LinkId id : links)
        {
            const VertexId next = m_topology.Link(id).to;
            const bool isCrossed = next != to && IsMember(next);
            if (isCrossed && crossing == Crossing::Never)
            {
                return false;
            }
            if (m_stopIndex[next.value] == NOBODY && !FindStops(next, to, crossing))
            {
                return false;
            }
        }
    }
    m_stopIndex[at.value] = static_cast<uint32_t>(m_stops.size());
    m_stops.push_back({.vertex = at, .share = 0, .latency = {}, .forwarding = 0});
    return true;
}

void
RouteFinder::MeasureStops(VertexId to)
{
    for (Stop& stop : m_stops)
    {
        if (stop.vertex == to)
        {
            continue;
        }
        for (const LinkId id : FindNextLinks(stop.vertex, to))
        {
            const TopologyLink& link = m_topology.Link(id);
            const bool isSwitch = m_topology.Vertex(link.to).kind == VertexKind::Switch;
            const Stop& next = StopAt(link.to);
            stop.latency =
                std::max(stop.latency,
                         next.latency + link.latency + (isSwitch ? m_switchLatency : SimTime()));
            stop.forwarding =
                std::max(stop.forwarding, next.forwarding + TimeToForward(link.bandwidth).Ps());
        }
    }
}

/// Divides the message among the links, from the source on.
void
RouteFinder::LoadLinks(VertexId to, Way& way)
{
    for (auto stop = m_stops.rbegin(); stop != m_stops.rend(); ++stop)
    {
        if (stop->vertex == to)
        {
            continue;
        }
        const std::vector<LinkId>& links = FindNextLinks(stop->vertex, to);
        // The share is rounded up, so that no link counts for less than its part.
        const uint64_t share = (stop->share + links.size() - 1) / links.size();
        for (const LinkId id : links)
        {
            const TopologyLink& link = m_topology.Link(id);
            m_model.m_hops.push_back({.link = id.value, .share = share});
            StopAt(link.to).share += share;
            if (way.slowest == Bandwidth() || link.bandwidth < way.slowest)
            {
                way.slowest = link.bandwidth;
            }
        }
    }
}

void
RouteFinder::AddPorts(const Way& way, VertexId from, VertexId to)
{
    std::vector<LinkId> first;
    std::vector<LinkId> last;
    for (const WayHop& hop : m_model.HopsOf(m_model.WayCount() - 1))
    {
        const LinkId id{hop.link};
        const TopologyLink& link = m_topology.Link(id);
        if (link.from == from)
        {
            first.push_back(id);
        }
        if (link.to == to)
        {
            last.push_back(id);
        }
    }
    // Ports are sets of links, whatever the order of the hops, so the lists are sorted.
    std::sort(first.begin(), first.end());
    std::sort(last.begin(), last.end());
    const auto numberOf = [](auto& ports, const std::vector<LinkId>& links)
    { return ports.try_emplace(links, static_cast<uint32_t>(ports.size())).first->second; };
    m_model.m_ways.back().port = numberOf(m_ports, last);
    m_model.m_firstPorts.push_back(numberOf(m_firstPorts, first));
    NADI_CHECK(way.from != way.to);
}

/// Whether the ways lead from each member to each other one.
bool
RouteFinder::AreJoined() const
{
    return CountReached(&Way::from, &Way::to) == m_ranks.size() &&
           CountReached(&Way::to, &Way::from) == m_ranks.size();
}

/// The members that ways lead to from the first one, taken from `near` to `far`.
uint32_t
RouteFinder::CountReached(uint32_t Way::*near, uint32_t Way::*far) const
{
    std::vector<std::vector<uint32_t>> next(m_ranks.size());
    for (const Way& way : m_model.m_ways)
    {
        next[way.*near].push_back(way.*far);
    }
    std::vector<bool> isReached(m_ranks.size(), false);
    std::vector<uint32_t> queue{0};
    isReached[0] = true;
    for (size_t at = 0; at < queue.size(); ++at)
    {
        for (const uint32_t to : next[queue[at]])
        {
            if (!isReached[to])
            {
                isReached[to] = true;
                queue.push_back(to);
            }
        }
    }
    return static_cast<uint32_t>(queue.size());
}

} // namespace nadi::synthesis
