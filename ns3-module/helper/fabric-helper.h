// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_HELPER_H
#define FABRIC_HELPER_H

#include "ns3/fabric-nic.h"
#include "ns3/fabric-port.h"
#include "ns3/fabric-switch.h"
#include "ns3/fabric.h"
#include "ns3/net-device-container.h"
#include "ns3/node.h"
#include "ns3/object-factory.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// \ingroup fabric
/// Builds a fabric out of ns-3 nodes: NICs and switches, and the links between them.
///
/// Routing is by fewest links, with ECMP by the hash of the flow, unless the Fabric is given
/// another. Everything must be connected before the first message is posted.
class FabricHelper
{
  public:
    /// Requires: Time::SetResolution(Time::PS) was called.
    FabricHelper();

    /// Sets an attribute of the FabricProtocol that all nodes share.
    void SetProtocolAttribute(const std::string& name, const AttributeValue& value);

    /// Makes all queue pairs use a congestion control of this type, with its attributes as they
    /// are by default. \return It, for setting attributes.
    Ptr<FabricCongestionControl> UseCongestionControl(const std::string& typeName);

    /// Sets an attribute of the congestion control. Requires: UseCongestionControl was called.
    void SetCongestionControlAttribute(const std::string& name, const AttributeValue& value);

    /// Sets an attribute of the ports, channels, NICs or switches made from now on.
    void SetPortAttribute(const std::string& name, const AttributeValue& value);
    void SetChannelAttribute(const std::string& name, const AttributeValue& value);
    void SetNicAttribute(const std::string& name, const AttributeValue& value);
    void SetSwitchAttribute(const std::string& name, const AttributeValue& value);

    /// Gives each node made from now on a load balancer of this type (a FabricLoadBalancer), with
    /// its attributes as they are by default.
    void UseLoadBalancer(const std::string& typeName);

    /// Sets an attribute of the load balancers made from now on.
    /// Requires: UseLoadBalancer was called.
    void SetLoadBalancerAttribute(const std::string& name, const AttributeValue& value);

    /// The type of the load balancers; none: nodes have none.
    std::optional<TypeId> GetLoadBalancerType() const;

    /// Gives each node made from now on an object of this type (a FabricArrivalAction).
    void UseArrivalAction(const ObjectFactory& type);

    /// Gives each port made from now on an object of this type (a FabricStartAction) too.
    void AddStartAction(const ObjectFactory& type);

    /// The types that can be made of a kind of part (FabricCongestionControl, FabricLoadBalancer,
    /// FabricArrivalAction, FabricStartAction), sorted by name. A type that is registered is here.
    static std::vector<TypeId> FindTypes(TypeId kind);

    /// Makes the node a sender and receiver of messages.
    Ptr<FabricNic> InstallNic(Ptr<Node> node);

    /// Makes the node a switch.
    Ptr<FabricSwitch> InstallSwitch(Ptr<Node> node);

    /// Adds a port to each node and joins them: first the one of `a`, then the one of `b`.
    NetDeviceContainer Connect(Ptr<Node> a, Ptr<Node> b);

    /// The fabric that everything made here belongs to.
    Ptr<Fabric> GetFabric() const;

    /// Makes FabricSimulatorImpl ns-3's simulator, now and after Simulator::Destroy; `scrambleSeed`
    /// as its attribute says, until then. Requires: no other simulator is in use, nor is anything
    /// scheduled.
    static void UseFabricSimulator(uint64_t scrambleSeed = 0);

  private:
    Ptr<FabricPort> AddPort(Ptr<Node> node);
    void Install(Ptr<Node> node, Ptr<FabricNode> made);

    Ptr<Fabric> m_fabric;
    Ptr<FabricCongestionControl> m_control; ///< null: none
    ObjectFactory m_ports;
    ObjectFactory m_channels;
    ObjectFactory m_nics;
    ObjectFactory m_switches;
    ObjectFactory m_balancers;      ///< of no type: none are made
    ObjectFactory m_arrivalActions; ///< likewise
    std::vector<ObjectFactory> m_startActions;
};

} // namespace ns3

#endif /* FABRIC_HELPER_H */
