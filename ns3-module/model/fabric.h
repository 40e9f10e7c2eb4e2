// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_H
#define FABRIC_H

#include "fabric-flow.h"
#include "fabric-node.h"
#include "fabric-routing.h"

#include "ns3/object.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <vector>

/// \defgroup fabric Fabric: lossless networks of NICs and switches that carry queue pairs

namespace ns3
{

/// \ingroup fabric
/// One network: its nodes by index, its routing, and the records of the flows under way.
///
/// All times in a fabric are int64 picoseconds: the constructor stops the program with a message
/// unless Time::SetResolution(Time::PS) was called before.
/// Owner: the user; every node of the fabric holds a reference. Nodes belong to ns-3's NodeList.
class Fabric : public Object
{
  public:
    /// \return The object TypeId.
    static TypeId GetTypeId();

    Fabric();

    /// Adds a node and tells it its index, which counts from 0.
    void AddNode(FabricNode& node);

    FabricNode& GetNode(uint32_t index) const
    {
        return *m_nodes[index];
    }

    uint32_t GetNNodes() const
    {
        return static_cast<uint32_t>(m_nodes.size());
    }

    /// Who says which way a flow goes. Requires: set before the first message.
    void SetRouting(Ptr<FabricRouting> routing);

    /// Makes the record of a flow, its paths fixed for its life. \return Its index.
    uint32_t OpenFlow(const FabricFlowKey& key, FabricQueuePair& queuePair);

    /// Forgets a flow; its index will name another one. Requires: no frame of it is under way.
    void CloseFlow(uint32_t flow);

    /// The reference is valid until the next OpenFlow.
    FabricFlow& GetFlow(uint32_t flow)
    {
        return m_flows[flow];
    }

  private:
    void WalkPath(const FabricFlowKey& key, std::vector<FabricPort*>& path) const;

    std::vector<FabricNode*> m_nodes;
    std::vector<FabricFlow> m_flows;
    std::vector<uint32_t> m_freeFlows;
    Ptr<FabricRouting> m_routing;
};

} // namespace ns3

#endif /* FABRIC_H */
