// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_SWITCH_H
#define FABRIC_SWITCH_H

#include "fabric-node.h"

namespace ns3
{

/// \ingroup fabric
/// A switch with output queues: no frame waits for a frame to another port. It passes frames on
/// when they are there whole (store-and-forward), or, with CutThrough, as soon as their header is
/// there, where it cannot run out of bytes to send: a frame that comes at least as fast as every
/// port of this switch ever sends.
class FabricSwitch : public FabricNode
{
  public:
    /// \return The object TypeId.
    static TypeId GetTypeId();

    Time GetLatency() const override;
    FabricCutThrough GetCutThrough() const override;

  private:
    uint64_t FindFastestRate() const;

    Time m_latency;
    bool m_cutsThrough = false;
    mutable uint64_t m_fastestRate = 0; ///< of its ports, at any time; 0: not looked for yet
};

} // namespace ns3

#endif /* FABRIC_SWITCH_H */
