// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/notes/mechanism-warnings.h"

#include "common/text.h"
#include "common/unit-parser.h"
#include "network/backend-kind.h"
#include "network/dateline.h"
#include "network/network-options.h"
#include "network/packet/congestion-controls.h"
#include "simulation/notes/fault-warnings.h"
#include "simulation/notes/loss-costs.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

namespace
{

// Every mechanism has a counter or a flag in the results that shows whether it has ever acted. A
// rule compares this with the configuration. There is no warning about a mechanism that stands at
// its default, nor about one that acted once. To judge another mechanism, write its two functions
// and add them to RULES.
//
// A sentence says "had no effect" only where the run without the key has the same times, to the
// picosecond (tests/component/idle-mechanisms-test.cc runs both). A mechanism may act although its
// counter is zero: an acknowledgement for each frame takes time on the links.

/// What the rules look at.
struct Scene
{
    const PacketOptions& packet;
    const Topology& topology;
    const std::vector<LinkFault>& faults;
    const RunResults& results;
};

/// One mechanism: when it is idle, and what to say then.
struct Rule
{
    bool (*isIdle)(const Scene&);
    std::string (*describe)(const Scene&);
};

bool
NeedsMarks(const PacketOptions& packet)
{
    return FindCongestionControl(packet.congestionControl.name)->needsMarks;
}

Bytes
FindLongestQueue(const RunResults& results)
{
    Bytes longest;
    for (const LinkCounters& link : results.links)
    {
        longest = std::max(longest, link.maxQueue);
    }
    return longest;
}

/// Whether network.ns3 sets an attribute that ends like this, so that the other keys do not tell
/// its value.
bool
IsSetByNs3(const PacketOptions& packet, const std::string& attribute)
{
    return std::any_of(packet.ns3.begin(),
                       packet.ns3.end(),
                       [&attribute](const Ns3Attribute& set)
                       { return set.name.ends_with("::" + attribute); });
}

/// Whether the receivers acknowledge each frame for the sake of the congestion control alone.
bool
AnswersForControl(const PacketOptions& packet)
{
    return FindCongestionControl(packet.congestionControl.name)->answersEveryFrame &&
           !packet.framesPerAcknowledgement && packet.window.kind == WindowChoice::Kind::None;
}

/// What a user may run to see what acknowledgements cost.
constexpr const char* COST_OF_ANSWERS =
    "each frame is acknowledged, and network.packet.acknowledge: frame alone shows what that costs";

/// What a congestion control did that never lowered a rate or a window.
std::string
DescribeIdleControl(const Scene& scene)
{
    const std::string& name = scene.packet.congestionControl.name;
    const bool answers = AnswersForControl(scene.packet);
    if (scene.results.totals.hasHeldFrames)
    {
        // Of two windows the smaller one counts, and no counter tells which of them it was.
        const bool isOnlyOne = scene.packet.window.kind == WindowChoice::Kind::None;
        return fmt::format("the window of {}{} held senders back{}",
                           name,
                           isOnlyOne ? "" : ", or that of network.packet.window,",
                           answers ? ", and each frame is acknowledged" : "");
    }
    return answers ? COST_OF_ANSWERS : name + " had no effect";
}

bool
HasMarkedNothing(const Scene& scene)
{
    return scene.packet.ecn && scene.results.totals.ecnMarks == 0;
}

/// What is left of the mechanism that waits for marks, if none comes.
std::string
DescribeUnmarked(const Scene& scene)
{
    if (!NeedsMarks(scene.packet))
    {
        return "ecn had no effect";
    }
    return scene.results.totals.slowdowns == 0
               ? DescribeIdleControl(scene)
               : scene.packet.congestionControl.name + " slowed senders down for losses alone";
}

std::string
DescribeNoMark(const Scene& scene)
{
    const bool isMinKnown = !IsSetByNs3(scene.packet, "MarkMin");
    return fmt::format("no ECN mark was seen: the longest queue held {}{}; {}",
                       ToText(FindLongestQueue(scene.results)),
                       isMinKnown ? ", and marks begin beyond " + ToText(scene.packet.ecn->min)
                                  : "",
                       DescribeUnmarked(scene));
}

bool
HasPausedNothing(const Scene& scene)
{
    return scene.packet.pfc && scene.results.totals.pauses == 0;
}

/// It does not say that PFC had no effect: a buffer without it has timers for losses, and another
/// limit for what it takes.
std::string
DescribeNoPause(const Scene& scene)
{
    const bool hasSecondPriority = Dateline(scene.topology).PriorityCount() > 1;
    return fmt::format("no pause was sent: the buffers of {} never filled; {}",
                       ToText(*scene.packet.buffer),
                       hasSecondPriority ? "pfc stopped nobody, but its second priority, which "
                                           "keeps rings from deadlock, may have changed the order "
                                           "of frames"
                                         : "pfc stopped nobody");
}

/// With PFC a buffer that fills leads to pauses, not to drops. HasPausedNothing judges that.
bool
HasOverflowedNothing(const Scene& scene)
{
    return scene.packet.buffer && !scene.packet.pfc && scene.results.totals.drops == 0;
}

/// What came of it that frames could have been lost.
std::string
DescribeUnusedBuffer(const RunResults& results)
{
    if (results.totals.retransmissions > 0)
    {
        return "but because they might have, frames that came late were sent again";
    }
    return HasSwitchMessages(results)
               ? "but because they might have, messages of switches that compute are acknowledged"
               : "buffer had no effect";
}

std::string
DescribeNoOverflow(const Scene& scene)
{
    return fmt::format("no frame was dropped: the buffers of {} never overflowed; {}",
                       ToText(*scene.packet.buffer),
                       DescribeUnusedBuffer(scene.results));
}

bool
HasRecoveredNothing(const Scene& scene)
{
    // Go-back-N is the default, and a mechanism that is left at its default is not judged.
    return scene.packet.lossRecovery == LossRecovery::Selective &&
           scene.results.totals.retransmissions == 0;
}

std::string
DescribeNoRecovery(const Scene& scene)
{
    return fmt::format("no frame was {}; loss-recovery selective never acted",
                       scene.results.totals.drops == 0 ? "lost" : "sent again");
}

bool
HasWaitedForNothing(const Scene& scene)
{
    return scene.packet.retransmitTimeout && scene.results.totals.retransmissions == 0;
}

std::string
DescribeNoTimeout(const Scene& scene)
{
    return fmt::format("no frame was sent again; retransmit-timeout {} never acted",
                       ToText(*scene.packet.retransmitTimeout));
}

/// Frames that overtake each other look like a gap, whatever the timeout.
bool
HasRepeatedInVain(const Scene& scene)
{
    const NetworkTotals& totals = scene.results.totals;
    return scene.packet.retransmitTimeout && scene.packet.loadBalancing.name == ECMP &&
           totals.retransmissions > 0 && totals.drops == 0;
}

std::string
DescribeVainRepeats(const Scene& scene)
{
    const uint64_t count = scene.results.totals.retransmissions;
    return fmt::format("{} {} sent again though none was lost, since answers took longer than "
                       "retransmit-timeout {}; with auto nothing is sent again before something "
                       "is lost",
                       CountText(count, "frame"),
                       count == 1 ? "was" : "were",
                       ToText(*scene.packet.retransmitTimeout));
}

/// Whether the configuration takes some link down at any time.
bool
IsSomeLinkDown(const Scene& scene)
{
    return std::any_of(scene.faults.begin(),
                       scene.faults.end(),
                       [](const LinkFault& fault) { return fault.isDown; });
}

bool
HasNothingToReroute(const Scene& scene)
{
    return scene.packet.rerouteAfter != PacketOptions().rerouteAfter && !IsSomeLinkDown(scene);
}

std::string
DescribeNothingToReroute(const Scene& scene)
{
    return fmt::format("no link goes down in network.faults; reroute-after {} had no effect",
                       ToText(scene.packet.rerouteAfter));
}

/// Only faults that came in time could have led to new routes.
bool
HasReroutedNothing(const Scene& scene)
{
    return scene.results.totals.reroutes == 0 &&
           std::any_of(scene.faults.begin(),
                       scene.faults.end(),
                       [&](const LinkFault& fault)
                       { return fault.isDown && IsInTime(fault, scene.results); });
}

std::string
DescribeNoReroute(const Scene& scene)
{
    return fmt::format("no route changed although links were down: they were back, or the job was "
                       "over, within {}; reroute-after never acted",
                       ToText(scene.packet.rerouteAfter));
}

/// Those that react to marks are judged by HasMarkedNothing, so that nothing is said twice.
bool
HasSlowedNobody(const Scene& scene)
{
    const std::string& control = scene.packet.congestionControl.name;
    return control != "none" && !NeedsMarks(scene.packet) && scene.results.totals.slowdowns == 0;
}

std::string
DescribeNoSlowdown(const Scene& scene)
{
    return fmt::format("{} never lowered a rate or a window: no queue or delay gave it reason to; "
                       "{}",
                       scene.packet.congestionControl.name,
                       DescribeIdleControl(scene));
}

bool
HasHeldNobody(const Scene& scene)
{
    return scene.packet.window.kind != WindowChoice::Kind::None &&
           !scene.results.totals.hasHeldFrames;
}

std::string
DescribeNoHold(const Scene& scene)
{
    const bool isFixed = scene.packet.window.kind == WindowChoice::Kind::Fixed;
    const std::string& control = scene.packet.congestionControl.name;
    // Without a window, receivers would acknowledge messages.
    const bool answersForWindow = !scene.packet.framesPerAcknowledgement &&
                                  !FindCongestionControl(control)->answersEveryFrame;
    return fmt::format("the window of {} never filled, so it held no sender back{}{}",
                       isFixed ? ToText(scene.packet.window.size) : "one bandwidth-delay product",
                       answersForWindow ? "; " : "",
                       answersForWindow ? COST_OF_ANSWERS : "");
}

const std::vector<Rule> RULES{{&HasMarkedNothing, &DescribeNoMark},
                              {&HasSlowedNobody, &DescribeNoSlowdown},
                              {&HasHeldNobody, &DescribeNoHold},
                              {&HasPausedNothing, &DescribeNoPause},
                              {&HasOverflowedNothing, &DescribeNoOverflow},
                              {&HasRecoveredNothing, &DescribeNoRecovery},
                              {&HasWaitedForNothing, &DescribeNoTimeout},
                              {&HasRepeatedInVain, &DescribeVainRepeats},
                              {&HasNothingToReroute, &DescribeNothingToReroute},
                              {&HasReroutedNothing, &DescribeNoReroute}};

} // namespace

std::vector<std::string>
FindMechanismWarnings(const RunInput& input, const RunResults& results)
{
    std::vector<std::string> warnings;
    const bool hasMechanisms = HasFrames(input.Config().network.backend);
    if (!hasMechanisms || results.status == RunStatus::Interrupted)
    {
        return warnings;
    }
    const Scene scene{input.Config().network.packet, input.Topology(), input.Faults(), results};
    for (const Rule& rule : RULES)
    {
        if (rule.isIdle(scene))
        {
            warnings.push_back(rule.describe(scene));
        }
    }
    for (const std::string& sentence : FindFaultWarnings(input, results))
    {
        warnings.push_back(sentence);
    }
    return warnings;
}

} // namespace nadi
