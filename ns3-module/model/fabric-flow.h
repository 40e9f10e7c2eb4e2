// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_FLOW_H
#define FABRIC_FLOW_H

#include "fabric-frame.h"

#include <cstdint>
#include <vector>

namespace ns3
{

class FabricPort;
class FabricQueuePair;

/// \ingroup fabric
/// Names a flow: the frames of one queue pair in one direction. Random choices about the flow are
/// functions of this key.
struct FabricFlowKey
{
    uint32_t source = 0;      ///< index of the sending node in the Fabric
    uint32_t destination = 0; ///< index of the receiving node
    uint64_t stream = 0;
};

/// \ingroup fabric
/// What all frames of a queue pair share. Recycled when the queue pair is forgotten.
struct FabricFlow
{
    FabricFlowKey key;
    std::vector<FabricPort*> forward; ///< egress ports of data frames, from source to destination
    std::vector<FabricPort*> reverse; ///< egress ports of what the receiver sends back
    FabricQueuePair* queuePair = nullptr; ///< owned by the sending NIC
    uint32_t unacknowledged = 0;          ///< data frames arrived since the last acknowledgement

    /// The egress ports that frames of this kind take, one per hop.
    const std::vector<FabricPort*>& GetPath(FabricFrameKind kind) const
    {
        return kind == FabricFrameKind::Data ? forward : reverse;
    }
};

} // namespace ns3

#endif /* FABRIC_FLOW_H */
