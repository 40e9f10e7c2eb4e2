// SPDX-License-Identifier: GPL-2.0-only
#include "system/synthesis/message-times.h"

#include "network/path-metrics.h"

#include <algorithm>

namespace nadi::synthesis
{

namespace
{

/// `time` * parts / whole, rounded up.
int64_t
TakePart(SimTime time, uint64_t parts, uint64_t whole)
{
    return detail::DivideRoundingUp(detail::Wide{time.Ps()} * static_cast<int64_t>(parts),
                                    static_cast<int64_t>(whole));
}

} // namespace

MessageTimes::MessageTimes(const RouteModel& model,
                           const MessageCosts& costs,
                           Bytes size,
                           LinkUse use)
{
    const MessageFrames frames = CutIntoFrames(size, costs.packet);
    const Bytes firstFrame = frames.full > 0 ? frames.fullWire : frames.lastWire;
    m_onHop.reserve(model.HopCount());
    for (uint32_t index = 0; index < model.WayCount(); ++index)
    {
        const Way& way = model.At(index);
        const int64_t latency = way.latency.Ps();
        const int64_t held = use == LinkUse::UntilArrival ? latency : 0;
        for (const WayHop& hop : model.HopsOf(index))
        {
            const SimTime whole = frames.Wire() / model.RateOf(hop.link);
            m_onHop.push_back(TakePart(whole, hop.share, WayHop::WHOLE) + held);
        }
        // The slowest link takes the whole message. Each other link delays the message by the time
        // of the first frame, which must have come before it is forwarded. Way::forwarding is the
        // time of FORWARDED bytes on these links, and the frame has its part of that.
        const int64_t wire = (frames.Wire() / way.slowest).Ps();
        const int64_t forwarding = TakePart(SimTime::FromPs(way.forwarding),
                                            static_cast<uint64_t>(firstFrame.Count()),
                                            static_cast<uint64_t>(Way::FORWARDED.Count()));
        m_busy.push_back(wire + held);
        m_toUse.push_back(wire + forwarding + latency + costs.endpointDelay.Ps());
    }
    if (costs.reductionBandwidth)
    {
        m_reduction = (size / *costs.reductionBandwidth).Ps();
    }
}

MessageTimes
MessageTimes::WithReduction() const
{
    MessageTimes times = *this;
    for (int64_t& time : times.m_toUse)
    {
        time += m_reduction;
    }
    times.m_reduction = 0;
    return times;
}

} // namespace nadi::synthesis
