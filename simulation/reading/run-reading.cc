// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/reading/run-reading.h"

#include "common/unit-parser.h"
#include "simulation/reading/share.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

namespace
{

constexpr double MOST = 0.7; ///< from here on, a share says what bounds the run
/// Of a full link, with what rounding may add. Only the analytical backend gives a link more than
/// it can carry.
constexpr double OVERFULL = 1.01;
constexpr double LITTLE = 0.1; ///< of a time, a part that does not explain it
constexpr double HALF = 0.5;   ///< a link that is used less is surely not what bounds it

/// "rank 3, whose compute takes 2 times as long (system.compute.per-rank)".
std::string
DescribeLateRank(const LateRank& late)
{
    const std::string why = late.factor == 1
                                ? ""
                                : fmt::format(", whose compute takes {:g} times as long "
                                              "(system.compute.per-rank)",
                                              late.factor);
    return fmt::format("rank {}{}", late.rank.value, why);
}

/// What the compute of the rank is.
const char*
NameCompute(const RankMetrics& metrics)
{
    return ShareOf(metrics.memoryAlone, metrics.compute) > LITTLE
               ? "Computation with accesses to memory"
               : "Computation";
}

/// What the slowest rank communicates is no bound on what a network saves: the rank may also idle
/// until the messages of others have come, or wait for a rank that they delay.
std::string
ReadComputation(const RunFacts& facts)
{
    const SimTime finish = facts.metrics.finish;
    const double ofMemory = ShareOf(facts.metrics.memoryAlone, facts.metrics.compute);
    std::string text = fmt::format("{} bounds this job: a perfect network would save at most "
                                   "{:.1f} %.",
                                   NameCompute(facts.metrics),
                                   100 * ShareOf(finish - facts.mostCompute, finish));
    if (ofMemory > LITTLE)
    {
        text += fmt::format(" Memory nodes count as compute; for {:.0f} % of it they go on alone.",
                            100 * ofMemory);
    }
    if (facts.late && facts.late->rank == facts.slowest)
    {
        text += fmt::format(
            " In collectives the other ranks wait {} for this one, in the mean{}.",
            ToRoundedText(facts.late->waitedFor),
            facts.late->factor == 1
                ? ""
                : fmt::format(" (system.compute.per-rank gives it {:g})", facts.late->factor));
    }
    return text;
}

/// Whether the late rank's own computing makes it late, or messages do. Empty where it may be
/// either.
std::string
ReadLateness(const LateRank& late)
{
    const RankMetrics& metrics = late.metrics;
    const SimTime communicating = metrics.exposedCommunication - metrics.waiting;
    // Its own messages, and what it idles for those of others, made it so late at most.
    const SimTime fromNetwork = communicating + metrics.idle;
    if (ShareOf(fromNetwork, late.waitedFor) <= LITTLE)
    {
        return " Computing makes that rank late; a faster network does not help with that.";
    }
    return communicating > metrics.compute
               ? fmt::format(" That rank itself communicates for {}, so a faster network may help.",
                             ToRoundedText(communicating))
               : "";
}

/// Requires: there is a late rank.
std::string
ReadWaiting(const RunFacts& facts)
{
    const RankMetrics& metrics = facts.metrics;
    return fmt::format("Most of the communication that no compute hides is waiting for ranks that "
                       "come late to collectives ({} of {}). Others wait longest for {}.{}",
                       ToRoundedText(metrics.waiting),
                       ToRoundedText(metrics.exposedCommunication),
                       DescribeLateRank(*facts.late),
                       ReadLateness(*facts.late));
}

/// The network as it was, without advice: how much a mechanism or a fault costs is in no counter,
/// but another run tells it.
std::string
ReadDisturbances(const RunFacts& facts)
{
    std::string what;
    for (const std::string& disturbance : facts.disturbances)
    {
        what += (what.empty() ? "" : ", ") + disturbance;
    }
    if (facts.hasFaults)
    {
        return fmt::format("Links had faults (network.faults){}{}. The same run with --set "
                           "network.faults=[] tells what they cost.",
                           what.empty() ? "" : "; counted: ",
                           what);
    }
    return fmt::format("The network was congested or lost frames: {}. The same run with --set "
                       "network.backend=flow shares the links without queues and losses, and so "
                       "tells what that costs.",
                       what);
}

bool
IsDisturbed(const RunFacts& facts)
{
    return facts.hasFaults || !facts.disturbances.empty();
}

/// What would shorten what is bound by latency.
std::string
AdviseFewerSteps(const RunFacts& facts)
{
    if (!facts.hasCollectives)
    {
        return "Fewer messages or shorter paths";
    }
    return facts.hasChosenChunks ? "Fewer chunks, algorithms with fewer steps or shorter paths"
                                 : "Algorithms with fewer steps or shorter paths";
}

/// Empty where the stack is none that another one would beat: nor would it where a fast link is
/// full, since then the slow ways set no pace.
std::string
ReadStack(const RunFacts& facts)
{
    if (!facts.hasCollectives || (facts.links.atLeast >= MOST && facts.links.isOfTheFaster))
    {
        return "";
    }
    if (facts.isUndivided)
    {
        return "Collectives see all ranks as one dimension, in which the slowest ways between "
               "neighbours set the pace; a note below says what to write instead.";
    }
    return facts.isFlatOverNodes ? "Collectives see all ranks as one dimension, though NPUs have "
                                   "links of different rates. With system.dimensions: [NPUs of a "
                                   "node, nodes] most bytes would stay on the faster ones."
                                 : "";
}

/// Requires: a link is full.
std::string
ReadFullLink(const LinkUse& links)
{
    if (links.besideIt && *links.besideIt < HALF * links.atLeast)
    {
        return fmt::format("While it lasts, the link {} is {:.0f} % used, and the equally good "
                           "links beside it {:.0f} % in the mean, as ECMP keeps each flow on one "
                           "link. Try --set network.packet.load-balancing=spray, or adaptive. "
                           "Another seed helps only if several flows share the link.",
                           links.busiest,
                           100 * links.atLeast,
                           100 * *links.besideIt);
    }
    return fmt::format("While it lasts, the link {} is {:.0f} % used: more bandwidth there, or "
                       "fewer bytes over it, would help.",
                       links.busiest,
                       100 * links.atLeast);
}

/// Why communication takes long, as far as the facts show it; empty where they do not.
std::string
ReadCause(const RunFacts& facts)
{
    // First, since this explains busy links as well: bytes cross slow links that a stack would keep
    // them off.
    if (const std::string stack = ReadStack(facts); !stack.empty())
    {
        return stack;
    }
    if (facts.links.atLeast > OVERFULL)
    {
        return fmt::format(
            "While it lasts, the link {} carries {:.1f} times as much as it can: the "
            "analytical backend gives each message the whole link. The same run "
            "with --set network.backend=flow shares the links.",
            facts.links.busiest,
            facts.links.atLeast);
    }
    if (facts.links.atLeast >= MOST)
    {
        return ReadFullLink(facts.links);
    }
    if (facts.links.atMost >= MOST && !facts.hasUnseenSwitches)
    {
        return ""; // some link may have been full, or none
    }
    // A use between HALF and MOST is told without advice: the link neither is full nor idles.
    if (facts.links.atLeast >= HALF)
    {
        return fmt::format("While it lasts, the link {} is {:.0f} % used.",
                           facts.links.busiest,
                           100 * facts.links.atLeast);
    }
    if (facts.hasUnseenSwitches)
    {
        return "NVLS puts no bytes on the links inside nodes (network.in-network: off), so these "
               "are busier than they look. The rate of the NVLink switches, which follows "
               "nvlink.bandwidth, may bound large all-reduces, and latency small ones. With --set "
               "network.in-network=on the links carry these bytes.";
    }
    if (facts.links.atMost >= HALF)
    {
        return fmt::format("While it lasts, no link is more than {:.0f} % used.",
                           100 * facts.links.atMost);
    }
    // Links idle, but nothing tells whether latency held messages back or a limit without a
    // counter.
    if (facts.hasUnseenLimits)
    {
        return "";
    }
    return fmt::format("While it lasts, no link is more than {:.0f} % used: messages wait for each "
                       "other and for latency, not for bandwidth. {} would help more than faster "
                       "links.",
                       100 * facts.links.atMost,
                       AdviseFewerSteps(facts));
}

/// The largest part of the rank's time. Where parts are equal, computation goes before
/// communication, and both go before waiting.
std::string
ReadBound(const RankMetrics& metrics)
{
    if (metrics.idle > std::max(metrics.compute, metrics.exposedCommunication))
    {
        return "This rank mostly waits: for dependencies on other ranks, delays, or its host.";
    }
    if (metrics.exposedCommunication <= metrics.compute)
    {
        const double waits = 100 * ShareOf(metrics.idle, metrics.finish);
        return metrics.idle > metrics.exposedCommunication
                   ? fmt::format("{} takes the largest part. For {:.0f} % of the time the rank "
                                 "waits: for dependencies on other ranks, such as those of a "
                                 "pipeline, delays, or its host.",
                                 NameCompute(metrics),
                                 waits)
                   : fmt::format("{} takes the largest part; what communication adds is not "
                                 "hidden by it.",
                                 NameCompute(metrics));
    }
    return "Communication bounds this job.";
}

} // namespace

/// At most one cause is told, the first that holds: computation; ranks that come late; disturbances
/// of the network; then what the use of the links allows to conclude. Where none is certain, only
/// the larger part of the rank's time is named.
std::string
ReadFacts(const RunFacts& facts)
{
    const RankMetrics& metrics = facts.metrics;
    if (metrics.finish == SimTime{})
    {
        return "";
    }
    if (ShareOf(metrics.compute, metrics.finish) >= MOST)
    {
        return facts.hasMemoryBehindNetwork
                   ? "Computation and remote memory bound this job. Memory nodes count as compute, "
                     "also while the network moves their data."
                   : ReadComputation(facts);
    }
    std::string text = ReadBound(metrics);
    const bool isCommunication =
        metrics.exposedCommunication > std::max(metrics.compute, metrics.idle);
    std::string cause;
    // Then waiting is the larger part of the communication.
    if (facts.late && metrics.waiting.Ps() > metrics.exposedCommunication.Ps() / 2)
    {
        cause = ReadWaiting(facts);
    }
    else if (IsDisturbed(facts))
    {
        cause = ReadDisturbances(facts);
    }
    else if (isCommunication)
    {
        cause = ReadCause(facts);
    }
    return cause.empty() ? text : text + " " + cause;
}

std::string
ReadRun(const RunInput& input, const RunResults& results)
{
    // What is said of a job says nothing of a cluster whose load changes with the requests.
    const bool isJob = !results.serving;
    return results.status == RunStatus::Done && isJob ? ReadFacts(GatherFacts(input, results)) : "";
}

} // namespace nadi
