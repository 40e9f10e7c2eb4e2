// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/fault-schedule.h"

#include "network/make-routing.h"

#include <ns3/fabric-link-plan.h>

#include <algorithm>
#include <utility>

namespace nadi
{

namespace
{

constexpr uint64_t REROUTE = 1; ///< kind of the background entries here

} // namespace

FaultSchedule::FaultSchedule(const Network& network, const ns3::Ptr<FabricRoutingAdapter>& adapter)
    : m_network(network)
    , m_adapter(adapter)
{
}

void
FaultSchedule::Start(const std::vector<LinkFault>& faults, SimTime rerouteAfter)
{
    m_faults = faults;
    m_rerouteAfter = rerouteAfter;
    for (const LinkFault& fault : m_faults)
    {
        AddToPorts(fault);
        if (fault.isDown)
        {
            ScheduleReroute(fault.at);
            if (fault.until)
            {
                ScheduleReroute(*fault.until);
            }
        }
    }
}

void
FaultSchedule::AddToPorts(const LinkFault& fault)
{
    ns3::FabricLinkFault planned;
    planned.from = fault.at.Ps();
    planned.until = fault.until ? fault.until->Ps() : ns3::FabricLinkFault::FOREVER;
    planned.isDown = fault.isDown;
    planned.loss = fault.loss;
    planned.rate = fault.bandwidth ? static_cast<uint64_t>(fault.bandwidth->BitsPerSecond()) : 0;
    for (const LinkId link : fault.links)
    {
        m_network.built.portOfLink[link.value]->AddFault(planned);
    }
}

void
FaultSchedule::ScheduleReroute(SimTime change)
{
    const SimTime at = change + m_rerouteAfter;
    const auto ps = static_cast<uint64_t>(at.Ps());
    m_network.loop.ScheduleAt(at, {EventOrder::Kind::Background, {REROUTE, ps}}, *this, ps);
}

std::vector<LinkId>
FaultSchedule::FindKnownFailures(SimTime now) const
{
    std::vector<LinkId> failed;
    for (const LinkFault& fault : m_faults)
    {
        const bool isKnown = fault.at + m_rerouteAfter <= now;
        const bool isOver = fault.until && *fault.until + m_rerouteAfter <= now;
        if (fault.isDown && isKnown && !isOver)
        {
            failed.insert(failed.end(), fault.links.begin(), fault.links.end());
        }
    }
    std::sort(failed.begin(), failed.end());
    failed.erase(std::unique(failed.begin(), failed.end()), failed.end());
    return failed;
}

void
FaultSchedule::OnEvent(uint64_t)
{
    const SimTime now = m_network.loop.Now();
    const std::vector<LinkId> failed = FindKnownFailures(now);
    std::unique_ptr<Routing> detour =
        failed.empty() ? nullptr : MakeRouting(m_network.topology, failed);
    m_adapter->SetRouting(detour ? *detour : m_network.routing);
    m_detour = std::move(detour);
    m_network.built.fabric->Reroute(now.Ps());
    ++m_reroutes;
}

} // namespace nadi
