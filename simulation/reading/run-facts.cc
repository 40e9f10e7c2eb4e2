// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/reading/run-facts.h"

#include "common/text.h"
#include "network/npu-transit.h"
#include "simulation/reading/share.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

namespace
{

constexpr double DISTURBING_SHARE = 0.01; ///< of frames that are marked, of the job's time

/// A congestion control whose rate follows what it measures acts without leaving a trace in the
/// counters; those that wait for marks do not.
const std::vector<std::string> CONTROLS_BY_DELAY{"hpcc", "swift", "timely"};

/// The bounds of LinkUse for one link after the other.
///
/// With F the finish, C the time that the slowest rank communicates, and u what the link carried
/// over what it can carry in C: at most u (and at most 1) is used in C, and at least u - (F - C) /
/// C, as the rest of the job has room for (F - C) / C.
class LinkMeter
{
  public:
    LinkMeter(const Topology& topology, const RunResults& results)
        : m_results(results)
        , m_slowest(static_cast<uint32_t>(results.SlowestRank()))
        , m_communicating(results.ranks[m_slowest.value].metrics.communication)
        , m_isOwnTraffic(!MayCrossNpus(topology))
    {
    }

    double AtLeast(const TopologyLink& link) const
    {
        const double most = UseOver(link, m_communicating);
        // Where NPUs forward nothing, the slowest rank's own ports carry its own messages, and
        // those while it communicates. A message may come before the rank asks for it: if the bytes
        // do not fit into the time, some were carried at another time.
        const bool isOwn = link.from == m_slowest || link.to == m_slowest;
        if (isOwn && m_isOwnTraffic && most <= 1)
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
    double UseOver(const TopologyLink& link, SimTime span) const
    {
        return ComputeUtilization(m_results.links[link.id.value].bytes, link.bandwidth, span);
    }

    const RunResults& m_results;
    VertexId m_slowest; // its NPU
    SimTime m_communicating;
    bool m_isOwnTraffic; // what a link at an NPU carries
};

/// Of links that were used equally, `busiest` is the one with the lowest id.
LinkUse
MeasureLinks(const Topology& topology, const RunResults& results)
{
    const LinkMeter meter(topology, results);
    LinkUse use;
    for (uint32_t id = 0; id < results.links.size(); ++id)
    {
        const TopologyLink& link = topology.Link(LinkId{id});
        const double least = meter.AtLeast(link);
        if (least > use.atLeast)
        {
            use.atLeast = least;
            use.busiest = topology.Vertex(link.from).name + " -> " + topology.Vertex(link.to).name;
        }
        use.atMost = std::max(use.atMost, meter.AtMost(link));
    }
    return use;
}

/// Of ranks that are waited for equally long, the lowest.
std::optional<LateRank>
FindLateRank(const RunInput& input, const RunResults& results)
{
    const auto latest = std::max_element(results.ranks.begin(),
                                         results.ranks.end(),
                                         [](const RankResult& a, const RankResult& b)
                                         { return a.metrics.waitedFor < b.metrics.waitedFor; });
    if (latest->metrics.waitedFor == SimTime{})
    {
        return std::nullopt;
    }
    const auto rank = static_cast<uint32_t>(latest - results.ranks.begin());
    const auto& factors = input.Config().system.compute.perRank;
    const auto factor = factors.find(rank);
    return LateRank{.rank = RankId{rank},
                    .waitedFor = latest->metrics.waitedFor,
                    .factor = factor == factors.end() ? 1 : factor->second,
                    .metrics = latest->metrics};
}

SimTime
FindMostCompute(const RunResults& results)
{
    SimTime most;
    for (const RankResult& rank : results.ranks)
    {
        most = std::max(most, rank.metrics.compute);
    }
    return most;
}

/// Faults of which no warning says that they had no effect.
bool
HasActiveFaults(const RunInput& input, const RunResults& results)
{
    const auto idle = std::count_if(results.warnings.begin(),
                                    results.warnings.end(),
                                    [](const std::string& warning)
                                    { return warning.starts_with("network.faults["); });
    // FindMechanismWarnings has one such sentence at most for a fault, so each sentence stands for
    // one fault that did nothing.
    return input.Faults().size() > static_cast<size_t>(idle);
}

/// One port that stood still for that share of the job is enough, as others may have waited for it.
bool
HavePausesHeldPorts(const RunResults& results)
{
    return std::any_of(results.links.begin(),
                       results.links.end(),
                       [&](const LinkCounters& link)
                       {
                           return static_cast<double>(link.paused.Ps()) >=
                                  DISTURBING_SHARE * static_cast<double>(results.finish.Ps());
                       });
}

/// A lost frame can cost a timeout, and a CNP halves a rate, so that a few of either count; marks
/// and pauses count when they are many.
std::vector<std::string>
FindDisturbances(const RunResults& results)
{
    const NetworkTotals& totals = results.totals;
    const bool areMarksMany = static_cast<double>(totals.ecnMarks) >
                              DISTURBING_SHARE * static_cast<double>(totals.packets);
    std::vector<std::string> found;
    const auto add = [&](uint64_t count, const std::string& what)
    { found.push_back(CountText(count, what)); };
    if (totals.drops > 0)
    {
        add(totals.drops, "lost frame");
    }
    if (totals.retransmissions > 0)
    {
        add(totals.retransmissions, "retransmission");
    }
    if (totals.pauses > 0 && HavePausesHeldPorts(results))
    {
        add(totals.pauses, "pause");
    }
    if (areMarksMany || totals.cnps > 0)
    {
        add(totals.ecnMarks, "ECN mark");
    }
    return found;
}

/// A limit that no counter shows. Where one may act, idle links do not prove that latency is to
/// blame.
bool
HasUnseenLimits(const RunInput& input)
{
    const PacketOptions& packet = input.Config().network.packet;
    const std::string& control = packet.congestionControl.name;
    const bool isByDelay = std::find(CONTROLS_BY_DELAY.begin(), CONTROLS_BY_DELAY.end(), control) !=
                           CONTROLS_BY_DELAY.end();
    return isByDelay || packet.window.kind != WindowChoice::Kind::None ||
           input.Config().system.options.reductionBandwidth.has_value();
}

/// Looks at the links of NPU 0 only, which stands for all NPUs.
bool
HasUnequalPorts(const Topology& topology)
{
    const std::vector<LinkId>& links = topology.LinksFrom(VertexId{0});
    return std::any_of(
        links.begin(),
        links.end(),
        [&](LinkId link)
        { return topology.Link(link).bandwidth != topology.Link(links.front()).bandwidth; });
}

} // namespace

RunFacts
GatherFacts(const RunInput& input, const RunResults& results)
{
    const size_t slowest = results.SlowestRank();
    const RankResult& rank = results.ranks[slowest];
    const Topology& topology = input.Topology();
    return {.slowest = RankId{static_cast<uint32_t>(slowest)},
            .metrics = rank.metrics,
            .mostCompute = FindMostCompute(results),
            .links = MeasureLinks(topology, results),
            .late = FindLateRank(input, results),
            .disturbances = FindDisturbances(results),
            .hasFaults = HasActiveFaults(input, results),
            .hasUnseenLimits = HasUnseenLimits(input),
            .hasCollectives = std::any_of(rank.communication.begin(),
                                          rank.communication.end(),
                                          [](const CommunicationTotal& total)
                                          { return total.kind.collective.has_value(); }),
            .hasChosenChunks = input.Config().system.options.scheduling.chunks.value_or(1) > 1 &&
                               results.effects.mostChunks > 1,
            .hasMemoryBehindNetwork =
                results.memory && results.memory->loads + results.memory->stores > 0,
            .isFlatOverNodes = input.PlansByDimensions() && topology.Dimensions().empty() &&
                               input.Stack().size() == 1 && HasUnequalPorts(topology) &&
                               !input.MixesWays(),
            .isUndivided = input.IsUndivided()};
}

} // namespace nadi
