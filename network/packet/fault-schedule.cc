// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/fault-schedule.h"

#include "network/make-routing.h"

#include <ns3/fabric-link-plan.h>

#include <utility>

namespace nadi
{

namespace
{

constexpr uint64_t FAULT_LOOK = 1; ///< kind of the background entries here

} // namespace

FaultSchedule::FaultSchedule(const Network& network, const ns3::Ptr<FabricRoutingAdapter>& adapter)
    : m_network(network)
    , m_adapter(adapter)
{
}

void
FaultSchedule::Start(const std::vector<LinkFault>& faults, SimTime rerouteAfter)
{
    for (const LinkFault& fault : faults)
    {
        AddToPorts(fault);
        if (fault.isDown)
        {
            ScheduleLook(fault.at.AddUpToMax(rerouteAfter));
        }
        if (fault.isDown && fault.until)
        {
            ScheduleLook(fault.until->AddUpToMax(rerouteAfter));
        }
    }
    m_outages = FindKnownOutages(faults, rerouteAfter);
    m_network.built.fabric->SetAwaitsRoutes(IsPending());
}

/// Ports know all their faults beforehand, so nothing is scheduled for a link that fails. Only
/// routes and pauses need looks.
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

/// A look is scheduled for every change of a link that is down, also for a failure that is over too
/// soon to change routes: pauses that it cut have to be repeated.
void
FaultSchedule::ScheduleLook(SimTime at)
{
    if (at == SimTime::Max())
    {
        return; // the clock ends before
    }
    ++m_pendingLooks;
    const auto ps = static_cast<uint64_t>(at.Ps());
    m_network.loop.ScheduleAt(at, {EventOrder::Kind::Background, {FAULT_LOOK, ps}}, *this, ps);
}

/// The links that the routing avoids at `now`, in the order of m_outages, so that equal sets are
/// equal lists.
std::vector<LinkId>
FaultSchedule::FindKnownFailures(SimTime now) const
{
    std::vector<LinkId> failed;
    for (const KnownOutage& outage : m_outages)
    {
        if (outage.from <= now && (!outage.until || now < *outage.until))
        {
            failed.push_back(outage.link);
        }
    }
    return failed;
}

void
FaultSchedule::OnEvent(uint64_t)
{
    --m_pendingLooks;
    m_network.built.fabric->SetAwaitsRoutes(IsPending());
    const SimTime now = m_network.loop.Now();
    std::vector<LinkId> failed = FindKnownFailures(now);
    // A look may change nothing: the failure was too short, or another look of the same instant has
    // found it. Tables of routes are made anew only where something has changed.
    if (failed != m_failed)
    {
        std::unique_ptr<Routing> detour =
            failed.empty() ? nullptr : MakeRouting(m_network.topology, failed);
        // The adapter is given the new routing before the old one, which it points to, is
        // destroyed.
        m_adapter->SetRouting(detour ? *detour : m_network.routing);
        m_detour = std::move(detour);
        m_failed = std::move(failed);
        ++m_reroutes;
    }
    // Also without new routes: it repeats the pauses.
    m_network.built.fabric->Reroute(now.Ps());
}

} // namespace nadi
