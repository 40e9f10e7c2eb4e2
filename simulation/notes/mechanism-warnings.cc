// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/notes/mechanism-warnings.h"

#include "common/unit-parser.h"
#include "network/backend-kind.h"
#include "network/packet/congestion-controls.h"

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

/// What the rules look at.
struct Scene
{
    const PacketOptions& packet;
    const std::vector<LinkFault>& faults;
    const RunResults& results;
};

/// One mechanism: when it is idle, and what to say then.
struct Rule
{
    bool (*isIdle)(const Scene&);
    std::string (*describe)(const Scene&);
};

/// The same for one entry of `network.faults`. Only the first rule that holds is told.
struct FaultRule
{
    bool (*isIdle)(const LinkFault&, const Scene&);
    std::string (*describe)(const LinkFault&, const Scene&);
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

bool
HasMarkedNothing(const Scene& scene)
{
    return scene.packet.ecn && scene.results.totals.ecnMarks == 0;
}

std::string
DescribeNoMark(const Scene& scene)
{
    return fmt::format("no ECN mark was seen: the longest queue held {}, and marks begin beyond "
                       "{}; {} had no effect",
                       ToText(FindLongestQueue(scene.results)),
                       ToText(scene.packet.ecn->min),
                       NeedsMarks(scene.packet) ? scene.packet.congestionControl.name : "ecn");
}

bool
HasPausedNothing(const Scene& scene)
{
    return scene.packet.pfc && scene.results.totals.pauses == 0;
}

std::string
DescribeNoPause(const Scene& scene)
{
    return fmt::format("no pause was sent: the buffers of {} never filled; pfc had no effect",
                       ToText(*scene.packet.buffer));
}

/// With PFC a buffer that fills leads to pauses, not to drops. HasPausedNothing judges that.
bool
HasOverflowedNothing(const Scene& scene)
{
    return scene.packet.buffer && !scene.packet.pfc && scene.results.totals.drops == 0;
}

std::string
DescribeNoOverflow(const Scene& scene)
{
    return fmt::format("no frame was dropped: the buffers of {} never overflowed; buffer had no "
                       "effect",
                       ToText(*scene.packet.buffer));
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

/// What begins when the job is done comes too late; a job that is stuck goes on at that instant.
bool
IsInTime(const LinkFault& fault, const Scene& scene)
{
    const bool isStuck = scene.results.status == RunStatus::Stuck;
    return fault.at < scene.results.finish || (isStuck && fault.at == scene.results.finish);
}

/// Only faults that came in time could have led to new routes.
bool
HasReroutedNothing(const Scene& scene)
{
    return scene.results.totals.reroutes == 0 &&
           std::any_of(scene.faults.begin(),
                       scene.faults.end(),
                       [&](const LinkFault& fault)
                       { return fault.isDown && IsInTime(fault, scene); });
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
                       "it had no effect",
                       scene.packet.congestionControl.name);
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
    return fmt::format("the window of {} never filled, so it held no sender back",
                       isFixed ? ToText(scene.packet.window.size) : "one bandwidth-delay product");
}

const std::vector<Rule> RULES{{&HasMarkedNothing, &DescribeNoMark},
                              {&HasSlowedNobody, &DescribeNoSlowdown},
                              {&HasHeldNobody, &DescribeNoHold},
                              {&HasPausedNothing, &DescribeNoPause},
                              {&HasOverflowedNothing, &DescribeNoOverflow},
                              {&HasRecoveredNothing, &DescribeNoRecovery},
                              {&HasWaitedForNothing, &DescribeNoTimeout},
                              {&HasNothingToReroute, &DescribeNothingToReroute},
                              {&HasReroutedNothing, &DescribeNoReroute}};

bool
IsLate(const LinkFault& fault, const Scene& scene)
{
    return !IsInTime(fault, scene);
}

std::string
DescribeLate(const LinkFault& fault, const Scene& scene)
{
    return fmt::format("begins at {}, but the job ended at {}; it had no effect",
                       ToText(fault.at),
                       ToText(scene.results.finish));
}

/// A link that is down takes no traffic, but it may have been meant for some.
bool
IsUntouched(const LinkCounters& link)
{
    return link.bytes == Bytes{} && link.drops == 0 && link.maxQueue == Bytes{} && !link.isWanted;
}

bool
HasTouchedNothing(const LinkFault& fault, const Scene& scene)
{
    return std::all_of(fault.links.begin(),
                       fault.links.end(),
                       [&](LinkId link) { return IsUntouched(scene.results.links[link.value]); });
}

std::string
DescribeUntouched(const LinkFault&, const Scene&)
{
    return "touched no traffic: nothing crossed its links; it had no effect";
}

bool
HasLostNothing(const LinkFault& fault, const Scene& scene)
{
    return fault.loss > 0 &&
           std::all_of(fault.links.begin(),
                       fault.links.end(),
                       [&](LinkId link) { return scene.results.links[link.value].drops == 0; });
}

std::string
DescribeNoLoss(const LinkFault& fault, const Scene&)
{
    return fmt::format("lost no frame at a rate of {}; it had no effect", fault.loss);
}

// The strongest reason comes first: a fault that came too late touched nothing, and a fault that
// touched nothing lost nothing. So the first rule that holds says most.
const std::vector<FaultRule> FAULT_RULES{{&IsLate, &DescribeLate},
                                         {&HasTouchedNothing, &DescribeUntouched},
                                         {&HasLostNothing, &DescribeNoLoss}};

void
JudgeFault(size_t index, const Scene& scene, std::vector<std::string>& warnings)
{
    const LinkFault& fault = scene.faults[index];
    for (const FaultRule& rule : FAULT_RULES)
    {
        if (rule.isIdle(fault, scene))
        {
            // One sentence at most for each fault, with this beginning: HasActiveFaults counts
            // them.
            warnings.push_back(
                fmt::format("network.faults[{}] {}", index, rule.describe(fault, scene)));
            return;
        }
    }
}

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
    const Scene scene{input.Config().network.packet, input.Faults(), results};
    for (const Rule& rule : RULES)
    {
        if (rule.isIdle(scene))
        {
            warnings.push_back(rule.describe(scene));
        }
    }
    for (size_t index = 0; index < scene.faults.size(); ++index)
    {
        JudgeFault(index, scene, warnings);
    }
    return warnings;
}

} // namespace nadi
