// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/known-outages.h"

#include <algorithm>

namespace nadi
{

namespace
{

/// The times at which one link is down, each as the faults say; ordered by link and begin.
std::vector<KnownOutage>
ListOutages(const std::vector<LinkFault>& faults)
{
    std::vector<KnownOutage> outages;
    for (const LinkFault& fault : faults)
    {
        if (fault.isDown)
        {
            for (const LinkId link : fault.links)
            {
                outages.push_back({link, fault.at, fault.until});
            }
        }
    }
    const auto isBefore = [](const KnownOutage& a, const KnownOutage& b)
    { return a.link != b.link ? a.link < b.link : a.from < b.from; };
    std::stable_sort(outages.begin(), outages.end(), isBefore);
    return outages;
}

bool
OutlastsDelay(const KnownOutage& outage, SimTime delay)
{
    return !outage.until || *outage.until - outage.from > delay;
}

/// Whether nothing is learnt of the end of `outage` before `next` begins.
bool
Continues(const KnownOutage& outage, const KnownOutage& next, SimTime delay)
{
    // The routing takes an outage that it knows to end `delay` after its end, if the link stays up
    // that long. An outage that is too short is never known, so the next one is joined with it only
    // if the two touch or overlap.
    const SimTime unnoticed = OutlastsDelay(outage, delay) ? delay : SimTime();
    return outage.link == next.link &&
           (!outage.until || next.from <= outage.until->AddUpToMax(unnoticed));
}

void
Lengthen(KnownOutage& outage, const KnownOutage& next)
{
    const bool isForever = !outage.until || !next.until;
    outage.until = isForever ? std::nullopt : std::max(outage.until, next.until);
}

} // namespace

std::vector<KnownOutage>
FindKnownOutages(const std::vector<LinkFault>& faults, SimTime delay)
{
    // Outages without a noticed end between them are joined first. Then those that last long enough
    // are moved by the delay at both ends. The order matters: outages that are each too short may
    // be long enough together.
    std::vector<KnownOutage> merged;
    for (const KnownOutage& outage : ListOutages(faults))
    {
        if (!merged.empty() && Continues(merged.back(), outage, delay))
        {
            Lengthen(merged.back(), outage);
            continue;
        }
        merged.push_back(outage);
    }
    std::vector<KnownOutage> known;
    for (const KnownOutage& outage : merged)
    {
        if (OutlastsDelay(outage, delay))
        {
            const auto end =
                outage.until ? std::optional(outage.until->AddUpToMax(delay)) : std::nullopt;
            known.push_back({outage.link, outage.from.AddUpToMax(delay), end});
        }
    }
    return known;
}

} // namespace nadi
