// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_ROUTING_H
#define FABRIC_ROUTING_H

#include "fabric-flow.h"

#include "ns3/object.h"

#include <cstdint>
#include <vector>

namespace ns3
{

class FabricNode;
class FabricPort;

/// \ingroup fabric
/// Says which way frames go. Asked when a flow is opened; its answers are remembered where frames
/// are routed hop by hop, until Fabric::Reroute.
class FabricRouting : public Object
{
  public:
    /// \return The object TypeId.
    static TypeId GetTypeId();

    /// The equally good egress ports of `at` on the way to `destination`, in order of their
    /// index, replace what `egresses` had; none where there is no way.
    virtual void FindEgresses(const FabricNode& at,
                              const FabricNode& destination,
                              std::vector<FabricPort*>& egresses) const = 0;

    /// Which of `count` equally good egress ports of `at` a flow takes: by default a hash of the
    /// node and the flow's key (ECMP).
    virtual uint32_t Pick(const FabricNode& at, const FabricFlowKey& key, uint32_t count) const;

    /// The class of traffic of a data frame on the link that it enters by `next`, after it came by
    /// `previous` (whose egress is null at the source): by default FABRIC_DATA_PRIORITY.
    virtual FabricPriority
    GetPriority(const FabricFlowKey& key, const FabricHop& previous, const FabricPort& next) const;

    /// Whether frames between two other nodes may cross `node`, now or after Fabric::Reroute. A
    /// node that they cannot cross needs no memory. By default every node with several ports may
    /// be crossed.
    virtual bool MayForward(const FabricNode& node) const;

    /// How many data priorities GetPriority uses: 1 to GetNPriorities().
    virtual uint32_t GetNPriorities() const;

    /// Whether FindEgresses may find several ports, as long as no link goes down. If not, load
    /// balancers have nothing to choose, and none acts. Asked once, when the fabric is prepared.
    /// By default true.
    virtual bool OffersChoice() const;
};

/// \ingroup fabric
/// Fewest links, over whatever is connected. NICs forward too.
///
/// Requires: all links are connected before the first flow is opened.
class FabricShortestPathRouting : public FabricRouting
{
  public:
    /// \return The object TypeId.
    static TypeId GetTypeId();

    void FindEgresses(const FabricNode& at,
                      const FabricNode& destination,
                      std::vector<FabricPort*>& egresses) const override;

  private:
    /// Links from each node, by index, to one destination.
    using Distances = std::vector<uint32_t>;

    const Distances& GetDistances(const FabricNode& destination) const;

    mutable std::vector<Distances> m_distances; ///< by index of the destination; found on demand
};

} // namespace ns3

#endif /* FABRIC_ROUTING_H */
