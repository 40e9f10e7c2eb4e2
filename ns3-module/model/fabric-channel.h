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
/// A full-duplex link between two ports: what leaves one arrives at the other after Delay, in the
/// order it left.
class FabricChannel : public Channel
{
  public:
    /// \return The object TypeId.
    static TypeId GetTypeId();

    FabricChannel();
    ~FabricChannel() override;

    /// Joins two ports. The ports read Delay and their node's latency here, once.
    /// Requires: both were added to nodes and are not connected yet.
    void Connect(Ptr<FabricPort> a, Ptr<FabricPort> b);

    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

    Time GetDelay() const
    {
        return m_delay;
    }

  protected:
    void DoDispose() override;

  private:
    Time m_delay;
    std::array<Ptr<FabricPort>, 2> m_ends;
};

} // namespace ns3

#endif /* FABRIC_CHANNEL_H */
