// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/reading/link-use.h"

#include "network/backend-kind.h"
#include "network/npu-transit.h"
#include "simulation/reading/share.h"

#include <algorithm>
#include <vector>

namespace nadi
{

namespace
{

bool
HasReceives(const ExecutionGraph& graph)
{
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        const ExecutionNode& node = graph.Node(index);
        if (node.type == NodeType::Receive && !node.isCpu)
        {
            return true;
        }
    }
    return false;
}

/// The bounds of LinkUse for one link after the other.
///
/// With F the finish, C the time that the slowest rank communicates, and u what the link carried
/// over what it can carry in C: at most u (and at most 1) is used in C, and at least u - (F - C) /
/// C, as the rest of the job has room for (F - C) / C. What the rank itself sends or receives moves
/// in C alone, with one exception: sends are eager, so the message of a single send may come before
/// the rank calls its receive.
class LinkMeter
{
  public:
    LinkMeter(const RunInput& input, const RunResults& results)
        : m_results(results)
        , m_slowest(static_cast<uint32_t>(results.SlowestRank()))
        , m_communicating(results.ranks[m_slowest.value].metrics.communication)
        , m_isOwnTraffic(!MayCrossNpus(input.Topology()))
        , m_receivesSends(HasReceives(input.Workload().GraphOf(RankId{m_slowest.value})))
    {
    }

    double AtLeast(const TopologyLink& link) const
    {
        const double most = UseOver(link, m_communicating);
        if (CarriesOwnBytesOnly(link) && most <= 1)
        {
            return most;
        }
        // `other` is what the link can have carried while the rank did not communicate, as a share
        // of what it can carry while the rank does.
        const double other = ShareOf(m_results.finish - m_communicating, m_communicating);
        return std::max(most - other, 0.0);
    }

    /// No link carries more than it can.
    double AtMost(const TopologyLink& link) const
    {
        return std::min(UseOver(link, m_communicating), 1.0);
    }

  private:
    /// Whether all that the link carries moves while the slowest rank communicates. Elsewhere NPUs
    /// may forward, or messages come too early.
    bool CarriesOwnBytesOnly(const TopologyLink& link) const
    {
        const bool isOwn = link.from == m_slowest || (link.to == m_slowest && !m_receivesSends);
        return isOwn && m_isOwnTraffic;
    }

    double UseOver(const TopologyLink& link, SimTime span) const
    {
        return ComputeUtilization(m_results.links[link.id.value].bytes, link.bandwidth, span);
    }

    const RunResults& m_results;
    VertexId m_slowest; // its NPU
    SimTime m_communicating;
    bool m_isOwnTraffic;  // what a link at an NPU carries
    bool m_receivesSends; // the slowest rank, of single sends
};

/// Whether the link is faster than another one that carried bytes.
bool
IsOfTheFaster(const Topology& topology, const RunResults& results, const TopologyLink& link)
{
    for (uint32_t id = 0; id < results.links.size(); ++id)
    {
        if (results.links[id].bytes > Bytes() &&
            topology.Link(LinkId{id}).bandwidth < link.bandwidth)
        {
            return true;
        }
    }
    return false;
}

/// The links by which routes leave the vertex of this link as well as by it, for some rank. Looks
/// at some of the ranks only, as routes to many take long in large networks.
std::vector<LinkId>
FindLinksBeside(const RunInput& input, const TopologyLink& link)
{
    constexpr uint32_t mostRanks = 64;
    const uint32_t ranks = input.Workload().RankCount();
    const uint32_t stride = (ranks - 1) / mostRanks + 1;
    for (uint32_t rank = 0; rank < ranks; rank += stride)
    {
        const VertexId destination = VertexOf(RankId{rank});
        if (destination == link.from)
        {
            continue;
        }
        std::vector<LinkId> links = input.Routing().FindNextLinks(link.from, destination);
        if (links.size() > 1 && std::erase(links, link.id) > 0)
        {
            return links;
        }
    }
    return {};
}

/// As LinkUse::besideIt. Among the ports of an NPU a queue pair chooses, whatever the balancing of
/// switches.
std::optional<double>
MeasureBeside(const RunInput& input, const LinkMeter& meter, const TopologyLink& link)
{
    const NetworkConfig& network = input.Config().network;
    const bool isAtNpu = link.from.value < input.Topology().NpuCount();
    if (isAtNpu || !HasFrames(network.backend) || network.packet.loadBalancing.name != ECMP)
    {
        return std::nullopt;
    }
    const std::vector<LinkId> beside = FindLinksBeside(input, link);
    double sum = 0;
    for (const LinkId id : beside)
    {
        sum += meter.AtMost(input.Topology().Link(id));
    }
    return beside.empty() ? std::nullopt : std::optional(sum / static_cast<double>(beside.size()));
}

} // namespace

LinkUse
MeasureLinks(const RunInput& input, const RunResults& results)
{
    const Topology& topology = input.Topology();
    const LinkMeter meter(input, results);
    LinkUse use;
    std::optional<LinkId> busiest;
    for (uint32_t id = 0; id < results.links.size(); ++id)
    {
        const TopologyLink& link = topology.Link(LinkId{id});
        const double least = meter.AtLeast(link);
        if (least > use.atLeast)
        {
            use.atLeast = least;
            busiest = link.id;
        }
        use.atMost = std::max(use.atMost, meter.AtMost(link));
    }
    if (busiest)
    {
        const TopologyLink& link = topology.Link(*busiest);
        use.busiest = topology.Vertex(link.from).name + " -> " + topology.Vertex(link.to).name;
        use.isOfTheFaster = IsOfTheFaster(topology, results, link);
        use.besideIt = MeasureBeside(input, meter, link);
    }
    return use;
}

} // namespace nadi
