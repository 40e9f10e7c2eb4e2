// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_PATHS_H
#define FABRIC_PATHS_H

#include "fabric-flow.h"
#include "fabric-frame.h"

#include "ns3/fabric-queue-pair.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ns3
{

class Fabric;
class FabricNode;
class FabricPort;

/// \ingroup fabric
/// Which ways flows go through a fabric, as its routing says, and what they are like.
/// Owner: the fabric.
class FabricPaths
{
  public:
    explicit FabricPaths(const Fabric& fabric);

    /// The equally good ports of `at` towards node `destination`; empty where there is no way.
    /// Looked up in the routing once.
    const std::vector<FabricPort*>& FindEgresses(const FabricNode& at, uint32_t destination);

    /// The routing gives other answers from now on.
    void Forget()
    {
        m_egresses.clear();
    }

    /// Looks for both paths of a flow, and whether load balancing has a choice on the way of its
    /// data (FabricPath::HasChoice). They are empty where there is no way. Stops the program
    /// where there is none though no link can go down, and where the routing leads round.
    void FindAnew(FabricFlow& flow) const;

    /// The links of its data frames, or of its answers, in order.
    std::vector<FabricHop> ListHops(const FabricFlow& flow, FabricFrameKind kind) const;

    /// What a queue pair is told of its way; of no links where there is none.
    FabricPathProperties Describe(const FabricFlow& flow) const;

    /// Whether all links of both paths are up, and there are such.
    bool AreUp(const FabricFlow& flow, int64_t now) const;

    /// In picoseconds, as FabricProtocol says.
    int64_t ComputeRetransmitTimeout(const FabricFlow& flow) const;

  private:
    template <class Visitor>
    void VisitHops(const FabricFlow& flow, FabricFrameKind kind, Visitor visit) const;
    void WalkPath(const FabricFlowKey& key, FabricPath& path, FabricFrameKind kind) const;

    const Fabric& m_fabric;
    std::vector<std::unordered_map<uint32_t, std::vector<FabricPort*>>> m_egresses; ///< by node
};

} // namespace ns3

#endif /* FABRIC_PATHS_H */
