// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/deadlock-watch.h"

#include "common/error.h"
#include "network/pause-cycle.h"

#include <vector>

namespace nadi
{

namespace
{

constexpr SimTime INTERVAL = SimTime::FromUs(1000);
constexpr uint64_t LOOK = 2; ///< kind of the background entries here

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
    const auto toChannel = [this](const ns3::FabricHop& hop) {
        return Channel{m_routing.LinkOf(*hop.egress), hop.priority};
    };
    std::vector<PauseWait> waits;
    for (const auto& [first, second] : m_built.fabric->FindPauseWaits())
    {
        waits.emplace_back(toChannel(first), toChannel(second));
    }
    const auto cycle = FindPauseCycle(waits);
    if (!cycle)
    {
        return std::nullopt;
    }
    return "deadlock of priority flow control: each link of " +
           DescribePauseCycle(m_topology, *cycle) + " is paused until the next one moves";
}

void
DeadlockWatch::ScheduleLook()
{
    m_loop.ScheduleAt(m_loop.Now() + INTERVAL, {EventOrder::Kind::Background, {LOOK}}, *this, LOOK);
}

void
DeadlockWatch::OnEvent(uint64_t)
{
    if (const auto deadlock = FindDeadlock())
    {
        throw JobError(*deadlock);
    }
    ScheduleLook();
}

} // namespace nadi
