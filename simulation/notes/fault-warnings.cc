// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/notes/fault-warnings.h"

#include "common/unit-parser.h"
#include "simulation/notes/loss-costs.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

namespace
{

/// What the rules look at.
struct FaultScene
{
    const PacketOptions& packet;
    const Topology& topology;
    const RunResults& results;
};

/// When an entry of `network.faults` is idle, and what to say then.
struct FaultRule
{
    bool (*isIdle)(const LinkFault&, const FaultScene&);
    std::string (*describe)(const LinkFault&, const FaultScene&);
};

/// Whether every link of the fault is such a one.
template <class Predicate>
bool
AreAll(const LinkFault& fault, const FaultScene& scene, Predicate holds)
{
    return std::all_of(fault.links.begin(),
                       fault.links.end(),
                       [&](LinkId link) { return holds(scene.results.links[link.value]); });
}

/// Whether a fault may change times although it did nothing to any frame.
bool
MayActUnseen(const LinkFault& fault, const FaultScene& scene)
{
    // What PFC keeps free by itself counts with what is planned for the links.
    if (scene.packet.pfc && !scene.packet.pfc->headroom)
    {
        return true;
    }
    // A switch that cuts through goes by the highest rate that its ports ever have.
    if (fault.bandwidth && scene.packet.switching == Switching::CutThrough)
    {
        return true;
    }
    return !fault.bandwidth && HasLossCosts(scene.results);
}

std::string
WithoutEffect(const std::string& what, const LinkFault& fault, const FaultScene& scene)
{
    if (!MayActUnseen(fault, scene))
    {
        return what + "; it had no effect";
    }
    return what + (!fault.bandwidth && HasSwitchMessages(scene.results)
                       ? "; because it could have lost frames, messages of switches that compute "
                         "are acknowledged"
                       : "");
}

bool
IsLate(const LinkFault& fault, const FaultScene& scene)
{
    return !IsInTime(fault, scene.results);
}

std::string
DescribeLate(const LinkFault& fault, const FaultScene& scene)
{
    return WithoutEffect(fmt::format("begins at {}, but the job ended at {}",
                                     ToText(fault.at),
                                     ToText(scene.results.finish)),
                         fault,
                         scene);
}

/// A link that is down takes no traffic, but it may have been meant for some.
bool
IsUntouched(const LinkCounters& link)
{
    return link.bytes == Bytes{} && link.drops == 0 && link.maxQueue == Bytes{} && !link.isWanted;
}

/// Routes that are found anew go around all links that are down, also around those that nothing was
/// meant to cross: such a link may have been the way around another one, or one of several ways
/// among which a hash chooses. So a link that is down is judged only while all keep to the usual
/// routes.
bool
HasTouchedNothing(const LinkFault& fault, const FaultScene& scene)
{
    return AreAll(fault, scene, IsUntouched) &&
           !(fault.isDown && scene.results.totals.reroutes > 0);
}

std::string
DescribeUntouched(const LinkFault& fault, const FaultScene& scene)
{
    return WithoutEffect("touched no traffic: nothing crossed its links", fault, scene);
}

bool
HasAlteredNoRate(const LinkFault& fault, const FaultScene& scene)
{
    return fault.bandwidth &&
           AreAll(fault, scene, [](const LinkCounters& link) { return !link.hasAlteredRate; });
}

std::string
DescribeNoAlteredRate(const LinkFault& fault, const FaultScene& scene)
{
    const bool isUsual = std::all_of(
        fault.links.begin(),
        fault.links.end(),
        [&](LinkId link) { return scene.topology.Link(link).bandwidth == *fault.bandwidth; });
    return WithoutEffect(isUsual ? fmt::format("gives its links the {} that they have anyway",
                                               ToText(*fault.bandwidth))
                                 : "changed no rate: no frame started on its links while it "
                                   "would have had another rate than usual",
                         fault,
                         scene);
}

bool
HasLostNothing(const LinkFault& fault, const FaultScene& scene)
{
    return fault.loss > 0 &&
           AreAll(fault, scene, [](const LinkCounters& link) { return link.drops == 0; });
}

std::string
DescribeNoLoss(const LinkFault& fault, const FaultScene& scene)
{
    return WithoutEffect(fmt::format("lost no frame at a rate of {}", fault.loss), fault, scene);
}

// The strongest reason comes first: a fault that came too late touched nothing, and a fault that
// touched nothing changed and lost nothing. So the first rule that holds says most.
const std::vector<FaultRule> FAULT_RULES{{&IsLate, &DescribeLate},
                                         {&HasTouchedNothing, &DescribeUntouched},
                                         {&HasAlteredNoRate, &DescribeNoAlteredRate},
                                         {&HasLostNothing, &DescribeNoLoss}};

} // namespace

bool
IsInTime(const LinkFault& fault, const RunResults& results)
{
    const bool isStuck = results.status == RunStatus::Stuck;
    return fault.at < results.finish || (isStuck && fault.at == results.finish);
}

std::vector<std::string>
FindFaultWarnings(const RunInput& input, const RunResults& results)
{
    const FaultScene scene{input.Config().network.packet, input.Topology(), results};
    std::vector<std::string> warnings;
    for (size_t index = 0; index < input.Faults().size(); ++index)
    {
        const LinkFault& fault = input.Faults()[index];
        const auto rule =
            std::find_if(FAULT_RULES.begin(),
                         FAULT_RULES.end(),
                         [&](const FaultRule& each) { return each.isIdle(fault, scene); });
        if (rule != FAULT_RULES.end())
        {
            warnings.push_back(
                fmt::format("network.faults[{}] {}", index, rule->describe(fault, scene)));
        }
    }
    return warnings;
}

} // namespace nadi
