// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/event-loop.h"
#include "network/link-fault.h"
#include "network/packet/fabric-routing-adapter.h"
#include "network/packet/known-outages.h"
#include "network/routing.h"

#include <memory>
#include <vector>

namespace nadi
{

/// Lets the links of a fabric fail as the user said, and finds new routes when a link has been
/// down, or up again, for some time. Until then frames keep to the old routes: they wait for links
/// that are down.
class FaultSchedule : private EventHandler
{
  public:
    /// What it works on; all outlives it.
    struct Network
    {
        const Topology& topology;
        const Routing& routing; ///< while nothing has failed
        const BuiltFabric& built;
        EventLoop& loop;
    };

    FaultSchedule(const Network& network, const ns3::Ptr<FabricRoutingAdapter>& adapter);

    /// Requires: called once, before the first message.
    void Start(const std::vector<LinkFault>& faults, SimTime rerouteAfter);

    /// Whether routes may change, or pauses be repeated, at a time still to come.
    bool IsPending() const
    {
        return m_pendingLooks > 0;
    }

    /// How often routes were found anew.
    uint64_t RerouteCount() const
    {
        return m_reroutes;
    }

  private:
    void AddToPorts(const LinkFault& fault);
    void ScheduleLook(SimTime at);
    std::vector<LinkId> FindKnownFailures(SimTime now) const;
    void OnEvent(uint64_t token) override;

    Network m_network;
    ns3::Ptr<FabricRoutingAdapter> m_adapter;
    std::vector<KnownOutage> m_outages;
    std::vector<LinkId> m_failed;      // as known
    std::unique_ptr<Routing> m_detour; // while there are any
    uint64_t m_reroutes = 0;
    uint64_t m_pendingLooks = 0;
};

} // namespace nadi
