// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_RECEIVER_H
#define FABRIC_RECEIVER_H

#include "fabric-receive-window.h"

#include "ns3/fabric-frame.h"

#include <cstdint>

namespace ns3
{

class Fabric;
class FabricNode;
class FabricQueuePair;

/// \ingroup fabric
/// The receiving end of a node: takes in the data frames that end there, answers them, and delivers
/// messages that are whole. What it knows of a queue pair is the receiver's part of it
/// (FabricQueuePair).
///
/// Owner: its node.
class FabricReceiver
{
  public:
    explicit FabricReceiver(FabricNode& node);

    /// A data frame has arrived at its end.
    void Receive(const FabricFrame& frame, int64_t now);

  private:
    Fabric& GetFabric() const;
    FabricQueuePair& GetQueuePair(const FabricFrame& frame) const;
    void Notify(const FabricFrame& data, int64_t now);
    bool Answer(const FabricFrame& data, FabricReceiveWindow::Outcome outcome, int64_t now);
    bool IsAnswerDue(FabricQueuePair& queuePair, FabricReceiveWindow::Outcome outcome) const;
    bool ReportsEarlyFrames() const;
    uint32_t FillSlot(const FabricFrame& data, int64_t now) const;
    void Send(const FabricFrame& data, FabricFrameKind kind, uint32_t detail, int64_t now);

    FabricNode& m_node;
};

} // namespace ns3

#endif /* FABRIC_RECEIVER_H */
