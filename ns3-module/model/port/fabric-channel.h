// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_CHANNEL_H
#define FABRIC_CHANNEL_H

#include "ns3/channel.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"

#include <array>

namespace ns3
{

class FabricPort;

/// \ingroup fabric
/// A full-duplex link between two ports: what leaves the first arrives at the second after Delay,
/// in the order it left, and the other way after ReverseDelay.
class FabricChannel : public Channel
{
  public:
    /// \return The object TypeId.
    static TypeId GetTypeId();

    FabricChannel();
    ~FabricChannel() override;

    /// Joins two ports. The ports read their delays and their nodes' latencies here, once.
    /// Requires: both were added to nodes and are not connected yet.
    void Connect(Ptr<FabricPort> a, Ptr<FabricPort> b);

    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

    /// Of what leaves `from`, which is one of the two ends.
    Time GetDelay(const FabricPort& from) const;

  protected:
    void DoDispose() override;

  private:
    Time m_delay;
    Time m_reverseDelay;
    std::array<Ptr<FabricPort>, 2> m_ends;
};

} // namespace ns3

#endif /* FABRIC_CHANNEL_H */
