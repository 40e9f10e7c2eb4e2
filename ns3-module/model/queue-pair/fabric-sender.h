// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_SENDER_H
#define FABRIC_SENDER_H

#include "fabric-queue-pair.h"
#include "fabric-rest-list.h"

#include "ns3/fabric-flow.h"
#include "ns3/fabric-frame.h"

#include <cstdint>
#include <vector>

namespace ns3
{

class Fabric;
class FabricNode;

/// \ingroup fabric
/// The sending end of a node: its queue pairs, what answers tell them, and their timers.
///
/// Each queue pair leaves by one port, the first of its flow's path. Several share a port frame by
/// frame in the order of their turns.
///
/// The life of a queue pair: it is opened (Fabric::OpenQueuePair); its first message makes its
/// object. When its last frame has ended it is idle, and it rests. Of those at rest a node keeps a
/// limited number, and gives back the one that has rested longest; then only the count of its
/// frames is left (FabricPairTable), from which a later message goes on. When its stream is closed
/// it is forgotten. So memory follows the traffic under way, also where every node sends to every
/// other one.
///
/// Owner: its node. The Fabric owns the queue pairs.
class FabricSender
{
  public:
    explicit FabricSender(FabricNode& node);

    /// Appends a message to a queue pair of this node.
    void Post(FabricPairHandle handle, uint64_t size, uint64_t cookie);

    /// No message will be posted on the queue pair: it is forgotten as soon as all its messages are
    /// delivered and acknowledged.
    void Close(FabricQueuePair& queuePair);

    /// An answer to a queue pair of this node has arrived.
    void Receive(const FabricFrame& answer, int64_t now);

    /// A frame of a queue pair of this node, of either direction, has ended its life.
    void EndFrame(FabricQueuePair& queuePair);

    /// The ways have changed: the queue pair leaves by its new port.
    void Reroute(FabricQueuePair& queuePair, int64_t now);

    /// Keeps of an idle queue pair only the count of its frames.
    void GiveBack(FabricQueuePair& queuePair);

    /// Handles the timers that came at the present instant. Requires: its arrivals were handled.
    void HandleTimers(int64_t now);

  private:
    Fabric& GetFabric() const;
    FabricHop GetFirstHop(const FabricQueuePair& queuePair) const;
    FabricQueuePair& FindOrOpen(FabricPairHandle handle);
    FabricQueuePair& Open(FabricPairHandle handle);
    void Rest(FabricQueuePair& queuePair);
    void Unlist(FabricQueuePair& queuePair);
    void Forget(FabricQueuePair& queuePair);
    void ChangePath(FabricQueuePair& queuePair, int64_t now);
    void TakeAnswer(FabricQueuePair& queuePair, const FabricFrame& answer, int64_t now);
    void OnTimer(FabricQueuePair& queuePair);
    bool IsOnlySlow(const FabricQueuePair& queuePair, int64_t now) const;
    void HandleTimer(FabricQueuePair& queuePair, int64_t now);

    FabricNode& m_node;
    FabricRestList<FabricQueuePair> m_resting;
    std::vector<FabricQueuePair*> m_dueTimers; ///< whose timers came at the present instant
};

} // namespace ns3

#endif /* FABRIC_SENDER_H */
