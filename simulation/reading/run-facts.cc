// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/reading/run-facts.h"

#include "common/text.h"
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

/// Whether some NPU sent bytes by a link though it has a faster one.
bool
HaveUsedSlowerPorts(const Topology& topology, const RunResults& results)
{
    for (uint32_t rank = 0; rank < results.ranks.size(); ++rank)
    {
        const std::vector<LinkId>& links = topology.LinksFrom(VertexOf(RankId{rank}));
        Bandwidth fastest;
        for (const LinkId id : links)
        {
            fastest = std::max(fastest, topology.Link(id).bandwidth);
        }
        const auto isSlower = [&](LinkId id) {
            return results.links[id.value].bytes > Bytes() && topology.Link(id).bandwidth < fastest;
        };
        if (std::ranges::any_of(links, isSlower))
        {
            return true;
        }
    }
    return false;
}

/// Whether the rank calls a collective that brings fewer bytes over slow ways in another stack: no
/// exchange does, as its bytes are for one member each.
bool
MayGainFromStack(const RankResult& rank)
{
    return std::ranges::any_of(rank.communication,
                               [](const CommunicationTotal& total)
                               {
                                   const auto& type = total.kind.collective;
                                   return type && *type != CollectiveType::AllToAll &&
                                          *type != CollectiveType::Gather &&
                                          *type != CollectiveType::Scatter;
                               });
}

/// Whether the rank called a collective that switches reduce whose bytes no link has.
bool
HasUnseenSwitches(const RunResults& results, const RankResult& rank)
{
    const auto hasThem = [&](const CommunicationTotal& total)
    {
        return std::ranges::any_of(results.ranAlgorithms,
                                   [&](const RanAlgorithm& ran)
                                   {
                                       return ran.hasUnseenSwitches &&
                                              total.kind.collective == ran.type &&
                                              total.kind.communicator == ran.communicator;
                                   });
    };
    return std::ranges::any_of(rank.communication, hasThem);
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
            .links = MeasureLinks(input, results),
            .late = FindLateRank(input, results),
            .disturbances = FindDisturbances(results),
            .hasFaults = HasActiveFaults(input, results),
            .hasUnseenLimits = HasUnseenLimits(input),
            .hasUnseenSwitches = HasUnseenSwitches(results, rank),
            .hasCollectives = std::any_of(rank.communication.begin(),
                                          rank.communication.end(),
                                          [](const CommunicationTotal& total)
                                          { return total.kind.collective.has_value(); }),
            .hasChosenChunks = input.Config().system.options.scheduling.chunks.value_or(1) > 1 &&
                               results.effects.mostChunks > 1,
            .hasMemoryBehindNetwork =
                results.memory && results.memory->loads + results.memory->stores > 0,
            .isFlatOverNodes = input.PlansByDimensions() && topology.Dimensions().empty() &&
                               input.Stack().size() == 1 && MayGainFromStack(rank) &&
                               HaveUsedSlowerPorts(topology, results) && !input.MixesWays(),
            .isUndivided = input.IsUndivided()};
}

} // namespace nadi
