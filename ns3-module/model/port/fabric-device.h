// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_DEVICE_H
#define FABRIC_DEVICE_H

#include "ns3/address.h"
#include "ns3/net-device.h"
#include "ns3/node.h"

namespace ns3
{

/// \ingroup fabric
/// The NetDevice face of a fabric port: what ns-3 asks of every device.
///
/// A fabric carries the messages of queue pairs, not packets of a protocol stack, so Send refuses
/// everything and no receive callback is ever called.
class FabricDevice : public NetDevice
{
  public:
    /// \return The object TypeId.
    static TypeId GetTypeId();

    void SetIfIndex(const uint32_t index) override;
    uint32_t GetIfIndex() const override;
    void SetAddress(Address address) override;
    Address GetAddress() const override;
    bool SetMtu(const uint16_t mtu) override;
    uint16_t GetMtu() const override;
    void AddLinkChangeCallback(Callback<void> callback) override;
    bool IsBroadcast() const override;
    Address GetBroadcast() const override;
    bool IsMulticast() const override;
    Address GetMulticast(Ipv4Address group) const override;
    Address GetMulticast(Ipv6Address group) const override;
    bool IsBridge() const override;
    bool IsPointToPoint() const override;
    bool Send(Ptr<Packet> packet, const Address& destination, uint16_t protocol) override;
    bool SendFrom(Ptr<Packet> packet,
                  const Address& source,
                  const Address& destination,
                  uint16_t protocol) override;
    Ptr<Node> GetNode() const override;
    void SetNode(Ptr<Node> node) override;
    bool NeedsArp() const override;
    void SetReceiveCallback(ReceiveCallback callback) override;
    void SetPromiscReceiveCallback(PromiscReceiveCallback callback) override;
    bool SupportsSendFrom() const override;

  protected:
    void DoDispose() override;

  private:
    Ptr<Node> m_node;
    uint32_t m_ifIndex = 0;
    uint16_t m_mtu = 0;
    Address m_address;
};

} // namespace ns3

#endif /* FABRIC_DEVICE_H */
