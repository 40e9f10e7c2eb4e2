// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_FLOW_H
#define FABRIC_FLOW_H

#include "fabric-path.h"

#include <cstdint>

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
/// Names a queue pair of a Fabric from its opening until its stream is closed.
struct FabricPairHandle
{
    uint32_t stream = 0; ///< place of its stream's list in the FabricPairTable
    uint32_t pair = 0;   ///< its place in that list
};

/// \ingroup fabric
/// A link of a path: the port by which it is entered, and the class of traffic there.
struct FabricHop
{
    FabricPort* egress = nullptr;
    FabricPriority priority = FABRIC_DATA_PRIORITY;
};

/// \ingroup fabric
/// What all frames of a queue pair share. The record is used again for another flow when the queue
/// pair is forgotten, which happens only when no frame of it is under way: frames name it by its
/// index.
///
/// There are as many records as queue pairs under way, so a record is seldom in the caches. What a
/// data frame needs on its way stands in the first line of the cache, what an answer needs besides
/// in the second.
struct alignas(64) FabricFlow
{
    FabricFlowKey key;
    FabricQueuePair* queuePair = nullptr; ///< null: the record is free
    FabricPath forward;      ///< of data frames, from source to destination; empty: there is no way
    FabricPath reverse;      ///< of what the receiver sends back
    uint64_t identity = 0;   ///< hash of the key
    FabricPairHandle handle; ///< of the queue pair, while its stream is open

    /// The way of frames of this kind while each flow keeps to one.
    const FabricPath& GetPath(FabricFrameKind kind) const
    {
        return kind == FabricFrameKind::Data ? forward : reverse;
    }

    /// Index of the node where frames of this kind end.
    uint32_t GetEnd(FabricFrameKind kind) const
    {
        return kind == FabricFrameKind::Data ? key.destination : key.source;
    }
};

static_assert(sizeof(FabricFlow) == 128, "two lines of the cache");

} // namespace ns3

#endif /* FABRIC_FLOW_H */
