// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/dateline.h"
#include "network/packet/fabric-builder.h"
#include "network/routing.h"

#include <ns3/fabric-routing.h>

#include <cstdint>
#include <vector>

namespace nadi
{

/// Answers the fabric's questions about the way with the Routing that all backends share, and
/// those about priorities with the dateline.
///
/// So all three backends send a message over the same links, and their results can be compared.
///
/// Holds: a fabric node's index is its vertex, and its ports are in the order of the links that
/// leave it. Requires: everything that it is made of outlives it.
class FabricRoutingAdapter : public ns3::FabricRouting
{
  public:
    FabricRoutingAdapter(const Topology& topology,
                         const Routing& routing,
                         const BuiltFabric& built,
                         const PacketOptions& options);

    /// Other ways from now on; Fabric::Reroute is up to the caller.
    void SetRouting(const Routing& routing);

    void FindEgresses(const ns3::FabricNode& at,
                      const ns3::FabricNode& destination,
                      std::vector<ns3::FabricPort*>& egresses) const override;

    uint32_t
    Pick(const ns3::FabricNode& at, const ns3::FabricFlowKey& key, uint32_t count) const override;

    ns3::FabricPriority GetPriority(const ns3::FabricFlowKey& key,
                                    const ns3::FabricHop& previous,
                                    const ns3::FabricPort& next) const override;

    /// Switches, and NPUs where messages may cross them.
    bool MayForward(const ns3::FabricNode& node) const override;

    /// Links may fail from now on, so messages may come to cross NPUs that they usually do not.
    void ExpectFailures()
    {
        m_mayCrossNpus = true;
    }

    uint32_t GetNPriorities() const override;

    /// Looks at the topology: to be asked once.
    bool OffersChoice() const override;

    /// The link that a port sends over.
    LinkId LinkOf(const ns3::FabricPort& port) const;

  private:
    const Topology& m_topology;
    const Routing* m_routing;
    const std::vector<ns3::FabricPort*>& m_portOfLink;
    Dateline m_dateline;
    bool m_mayCrossNpus;
    bool m_usesDateline = false; ///< buffers are finite, so rings could deadlock
    uint64_t m_seed;
};

} // namespace nadi
