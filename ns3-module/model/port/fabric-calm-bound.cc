// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-calm-bound.h"

#include "fabric-output.h"
#include "fabric-port-trains.h"
#include "fabric-port.h"

#include "ns3/fabric-node.h"
#include "ns3/fabric-protocol.h"
#include "ns3/fabric-routing.h"
#include "ns3/fabric-time.h"
#include "ns3/fabric.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Until when no more than `most` frames wait; `now`: that is not sure even now.
int64_t
FindHorizon(int64_t now, uint64_t frames, uint64_t rate, uint64_t most)
{
    if (frames > most)
    {
        return now;
    }
    if (rate == 0)
    {
        return FabricCalmBound::NEVER;
    }
    __extension__ typedef unsigned __int128 Wide;
    const Wide time = Wide{most - frames} * FabricExpectedTrains::RATE_ONE / rate;
    const int64_t horizon =
        FabricAddTime(now, static_cast<int64_t>(std::min<Wide>(time, FABRIC_CLOCK_END)));
    return horizon == FABRIC_CLOCK_END ? FabricCalmBound::NEVER : horizon;
}

} // namespace

FabricCalmBound::FabricCalmBound(FabricPort& link, FabricOutput& output, FabricPortTrains& trains)
    : m_link(link)
    , m_times(link.GetTimes())
    , m_output(output)
    , m_trains(trains)
{
}

void
FabricCalmBound::Prepare()
{
    const FabricNode& node = m_link.GetFabricNode();
    // A node with one port passes nothing on, so no frame in transit ever waits there.
    if (!m_link.IsLinkUp() || node.GetNPorts() < 2 || !node.GetFabric().FormsTrains())
    {
        return;
    }
    const FabricProtocol& protocol = node.GetFabric().GetProtocol();
    const uint64_t idle = m_output.FindIdleQueue().value_or(ANY);
    m_hasPriorities = node.GetFabric().GetRouting().GetNPriorities() > 1;
    m_mostFrames = idle == ANY ? ANY : idle / protocol.GetFullFrame();
    // All ports together claim an eighth of the memory at most that they do not need.
    constexpr uint64_t SHARE = 8;
    m_claimSlack = node.GetMostClaimed() / (SHARE * node.GetNPorts());
    m_isNeeded = (m_trains.FormsTrains() && m_mostFrames != ANY) || node.IsCalm();
}

void
FabricCalmBound::Compute(int64_t now)
{
    m_horizon = NEVER;
    const bool isForClaim = m_link.GetFabricNode().IsCalm();
    if (IsShortUntilTouched() && (!isForClaim || HoldsClaim()))
    {
        return; // as at nearly every touch of a port whose frames come one by one
    }
    const bool isForTrains = MayConcernTrains();
    if (!isForTrains && !isForClaim)
    {
        return; // as at each touch of a congested port
    }
    const Bound bound = FindBound(now);
    if (isForTrains)
    {
        RenewTrains(now, bound);
    }
    if (isForClaim)
    {
        RenewClaim(now, bound);
    }
}

/// Whether trains may go on whatever the time: nothing comes without a touch, and what waits now is
/// little.
bool
FabricCalmBound::IsShortUntilTouched() const
{
    return m_trains.FormsTrains() && !m_trains.IsExpecting() && CountWaiting() <= m_mostFrames;
}

/// Whether the port claims what it needs, and little more. Requires: nothing comes without a touch.
bool
FabricCalmBound::HoldsClaim() const
{
    const uint64_t needed = CountWaiting() + 1 + CountControlFrames();
    return needed <= m_claimed && m_claimed <= needed + m_claimSlack;
}

/// Whether the bound may end trains, or allow them again: not where something else forbids them,
/// nor while more frames wait than the bound may have for them to begin again.
bool
FabricCalmBound::MayConcernTrains() const
{
    if (m_mostFrames == ANY || !m_trains.MayFormTrains())
    {
        return false;
    }
    return m_trains.FormsTrains() || CountWaiting() <= m_mostFrames / 2;
}

/// Frames in transit.
uint64_t
FabricCalmBound::CountWaiting() const
{
    return m_output.GetArbiter().CountTransit();
}

FabricCalmBound::Bound
FabricCalmBound::FindBound(int64_t now) const
{
    const FabricArbiter& arbiter = m_output.GetArbiter();
    const bool hasLocal = arbiter.HasLocal();
    const uint64_t waiting = CountWaiting();
    const FabricExpectedTrains& expected = m_trains.GetExpected();
    if (expected.IsEmpty())
    {
        return {waiting, 0};
    }
    const FabricProtocol& protocol = m_link.GetFabricNode().GetFabric().GetProtocol();
    const int64_t full = m_times.ComputeTransmitTime(protocol.GetFullFrame());
    const int64_t slot = hasLocal ? 2 * full : full;
    const int64_t slots = (ComputeDelay(now) + slot - 1) / slot;
    // A paused port serves nothing, and one with faults has other times. Local queue pairs of
    // another priority may go before those in transit for as long as they have frames.
    const bool isServed =
        !arbiter.IsPaused() && !m_times.GetPlan() && !(hasLocal && m_hasPriorities);
    const uint64_t served =
        isServed ? FabricExpectedTrains::RATE_ONE / static_cast<uint64_t>(slot) : 0;
    return {waiting + expected.GetSize() + 1 + static_cast<uint64_t>(slots),
            expected.GetRate() - std::min(expected.GetRate(), served)};
}

/// The most time until a frame in transit starts that waits or has just come: the link is busy, and
/// control frames and perhaps a local frame go first.
int64_t
FabricCalmBound::ComputeDelay(int64_t now) const
{
    const FabricArbiter& arbiter = m_output.GetArbiter();
    const FabricProtocol& protocol = m_link.GetFabricNode().GetFabric().GetProtocol();
    const int64_t full = m_times.ComputeTransmitTime(protocol.GetFullFrame());
    const int64_t control = m_times.ComputeTransmitTime(protocol.GetControlFrame());
    const uint64_t controls =
        (arbiter.GetWaitingBytes() - arbiter.CountTransitBytes()) / protocol.GetControlFrame();
    const int64_t busy = std::max({m_output.GetFree() - now, full, control});
    const int64_t first = FabricAddTime(busy, FabricMultiplyTime(controls, control));
    return arbiter.HasLocal() ? FabricAddTime(first, full) : first;
}

/// As many full frames as have the bytes of the control frames that wait. They are not stored, but
/// a memory that drops takes them for what its egress holds.
uint64_t
FabricCalmBound::CountControlFrames() const
{
    const FabricArbiter& arbiter = m_output.GetArbiter();
    const uint64_t control = arbiter.GetWaitingBytes() - arbiter.CountTransitBytes();
    if (control == 0)
    {
        return 0;
    }
    const uint64_t full = m_link.GetFabricNode().GetFabric().GetProtocol().GetFullFrame();
    return (control + full - 1) / full;
}

void
FabricCalmBound::RenewTrains(int64_t now, const Bound& bound)
{
    if (!m_trains.FormsTrains() && IsShortAgain(now, bound))
    {
        m_trains.Resume(); // where nothing else forbids it
    }
    if (!m_trains.FormsTrains())
    {
        return;
    }
    const int64_t horizon = FindHorizon(now, bound.frames, bound.rate, m_mostFrames);
    if (horizon > now)
    {
        m_horizon = horizon;
        return;
    }
    m_trains.Suspend(now);
}

/// Whether trains can be formed for a while: half of the frames that may wait surely suffice for as
/// long as the other half would take to send.
bool
FabricCalmBound::IsShortAgain(int64_t now, const Bound& bound) const
{
    const uint64_t half = m_mostFrames / 2;
    const FabricProtocol& protocol = m_link.GetFabricNode().GetFabric().GetProtocol();
    const int64_t full = m_times.ComputeTransmitTime(protocol.GetFullFrame());
    return FindHorizon(now, bound.frames, bound.rate, half) >
           FabricAddTime(now, FabricMultiplyTime(half, full));
}

void
FabricCalmBound::RenewClaim(int64_t now, const Bound& bound)
{
    // A port whose queue grows claims twice as much as it needs now, so that it need not ask again
    // for a while. Rounding alone makes the rate a little larger than 0: one more frame is then
    // enough for seconds.
    const bool isGrowing = bound.rate > m_trains.GetExpected().GetSize() + 1;
    const uint64_t queue = bound.frames + (bound.rate > 0) + (isGrowing ? bound.frames : 0);
    m_horizon = std::min(m_horizon, FindHorizon(now, bound.frames, bound.rate, queue));
    const uint64_t before = m_claimed;
    // 1: on the link. What is claimed beyond spares the next claims while the queue grows.
    m_claimed = queue + 1 + CountControlFrames() + m_claimSlack / 2;
    m_link.GetFabricNode().Claim(before, m_claimed);
}

} // namespace ns3
