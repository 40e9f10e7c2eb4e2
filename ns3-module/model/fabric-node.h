// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_NODE_H
#define FABRIC_NODE_H

#include "fabric-frame.h"

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <vector>

namespace ns3
{

class Fabric;
class FabricPort;

/// \ingroup fabric
/// What a Node does with the frames that arrive at its ports; aggregated to the Node.
///
/// Ports are numbered from 0 in the order they were added; that number orders simultaneous
/// arrivals.
class FabricNode : public Object
{
  public:
    /// \return The object TypeId.
    static TypeId GetTypeId();

    FabricNode();
    ~FabricNode() override;

    /// Adds a port. Requires: at most 65535 ports.
    void AddPort(Ptr<FabricPort> port);

    uint32_t GetNPorts() const
    {
        return static_cast<uint32_t>(m_ports.size());
    }

    FabricPort& GetPort(uint32_t index) const;

    /// Called by the Fabric that this node becomes a part of.
    void JoinFabric(Fabric& fabric, uint32_t index);

    /// The node's number in its Fabric.
    uint32_t GetIndex() const
    {
        return m_index;
    }

    /// Between the arrival of a frame's last bit and the moment the node acts on it. Read when a
    /// link is connected.
    virtual Time GetLatency() const;

    /// A frame has arrived whole, at the present instant `now` (in picoseconds).
    virtual void Receive(const FabricFrame& frame, int64_t now) = 0;

  protected:
    void DoDispose() override;

    /// Requires: JoinFabric was called.
    Fabric& GetFabric() const
    {
        return *m_fabric;
    }

  private:
    Ptr<Fabric> m_fabric;
    uint32_t m_index = 0;
    std::vector<Ptr<FabricPort>> m_ports;
};

} // namespace ns3

#endif /* FABRIC_NODE_H */
