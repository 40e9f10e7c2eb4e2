// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/deadlock-watch.h"

#include "common/error.h"
#include "network/pause-cycle.h"

#include <ns3/fabric-pause-waits.h>

#include <algorithm>

namespace nadi
{

namespace
{

// The time between two looks, and the least age of a circle that counts as a deadlock. A look walks
// over all frames in transit that wait, so it must be rare.
constexpr SimTime INTERVAL = SimTime::FromUs(1000);
constexpr uint64_t DEADLOCK_LOOK = 2; ///< kind of the background entries here

} // namespace

DeadlockWatch::DeadlockWatch(const Topology& topology,
                             const BuiltFabric& built,
                             const FabricRoutingAdapter& routing,
                             EventLoop& loop)
    : m_topology(topology)
    , m_built(built)
    , m_routing(routing)
    , m_loop(loop)
{
}

void
DeadlockWatch::Start()
{
    ScheduleLook();
}

std::optional<std::string>
DeadlockWatch::FindDeadlock() const
{
    const auto cycle = FindCycle();
    if (!cycle)
    {
        return std::nullopt;
    }
    return "deadlock of priority flow control: each link of " +
           DescribePauseCycle(m_topology, *cycle) + " is paused until the next one moves";
}

/// A circle of this moment, whether it lasts or not.
std::optional<std::vector<Channel>>
DeadlockWatch::FindCycle() const
{
    const auto toChannel = [this](const ns3::FabricHop& hop) {
        return Channel{m_routing.LinkOf(*hop.egress), hop.priority};
    };
    std::vector<PauseWait> waits;
    for (const auto& [first, second] : ns3::FindFabricPauseWaits(*m_built.fabric))
    {
        waits.emplace_back(toChannel(first), toChannel(second));
    }
    return FindPauseCycle(waits);
}

bool
DeadlockWatch::IsLasting(const std::vector<Channel>& cycle) const
{
    // Pauses that have just begun may form a circle for a moment, until frames that have already
    // started free memory. One that has lasted for a whole interval is a deadlock.
    const int64_t latest = (m_loop.Now() - INTERVAL).Ps();
    const auto isOld = [this, latest](const Channel& channel)
    {
        const ns3::FabricPort& port = *m_built.portOfLink[channel.link.value];
        return port.GetPausedSince(channel.priority) <= latest;
    };
    return std::all_of(cycle.begin(), cycle.end(), isOld);
}

void
DeadlockWatch::ScheduleLook()
{
    // Background, so that the next look alone does not keep a run going.
    const SimTime at = m_loop.Now().AddUpToMax(INTERVAL);
    if (at < SimTime::Max())
    {
        m_loop.ScheduleAt(
            at, {EventOrder::Kind::Background, {DEADLOCK_LOOK}}, *this, DEADLOCK_LOOK);
    }
}

void
DeadlockWatch::OnEvent(uint64_t)
{
    const auto cycle = FindCycle();
    if (cycle && IsLasting(*cycle))
    {
        throw NetworkFailure(*FindDeadlock());
    }
    ScheduleLook();
}

} // namespace nadi
