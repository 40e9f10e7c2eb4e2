// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_SWITCH_H
#define FABRIC_SWITCH_H

#include "fabric-node.h"

namespace ns3
{

/// \ingroup fabric
/// A store-and-forward switch with output queues of unlimited size: lossless, and no frame waits
/// for a frame to another port.
class FabricSwitch : public FabricNode
{
  public:
    /// \return The object TypeId.
    static TypeId GetTypeId();

    Time GetLatency() const override;

    /// Queues the frame at its egress port. A buffer that can fill up decides here.
    void Receive(const FabricFrame& frame, int64_t now) override;

  private:
    /// The port by which a frame leaves: here its flow's own. Balancing by frame decides here.
    FabricPort& SelectEgress(const FabricFrame& frame) const;

    Time m_latency;
};

} // namespace ns3

#endif /* FABRIC_SWITCH_H */
