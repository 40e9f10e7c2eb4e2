// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-helper.h"

#include "ns3/abort.h"
#include "ns3/fabric-channel.h"
#include "ns3/fabric-routing.h"
#include "ns3/fabric-simulator-impl.h"
#include "ns3/global-value.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

FabricHelper::FabricHelper()
    : m_fabric(CreateObject<Fabric>())
{
    m_fabric->SetRouting(CreateObject<FabricShortestPathRouting>());
    m_ports.SetTypeId(FabricPort::GetTypeId());
    m_channels.SetTypeId(FabricChannel::GetTypeId());
    m_nics.SetTypeId(FabricNic::GetTypeId());
    m_switches.SetTypeId(FabricSwitch::GetTypeId());
}

void
FabricHelper::SetProtocolAttribute(const std::string& name, const AttributeValue& value)
{
    m_fabric->GetProtocol().SetAttribute(name, value);
}

Ptr<FabricCongestionControl>
FabricHelper::UseCongestionControl(const std::string& typeName)
{
    ObjectFactory factory(typeName);
    m_control = factory.Create<FabricCongestionControl>();
    m_fabric->GetProtocol().SetCongestionControl(m_control);
    return m_control;
}

void
FabricHelper::SetCongestionControlAttribute(const std::string& name, const AttributeValue& value)
{
    m_control->SetAttribute(name, value);
}

void
FabricHelper::SetPortAttribute(const std::string& name, const AttributeValue& value)
{
    m_ports.Set(name, value);
}

void
FabricHelper::SetChannelAttribute(const std::string& name, const AttributeValue& value)
{
    m_channels.Set(name, value);
}

void
FabricHelper::SetNicAttribute(const std::string& name, const AttributeValue& value)
{
    m_nics.Set(name, value);
}

void
FabricHelper::SetSwitchAttribute(const std::string& name, const AttributeValue& value)
{
    m_switches.Set(name, value);
}

void
FabricHelper::UseLoadBalancer(const std::string& typeName)
{
    m_balancers = ObjectFactory(typeName);
}

void
FabricHelper::SetLoadBalancerAttribute(const std::string& name, const AttributeValue& value)
{
    m_balancers.Set(name, value);
}

std::optional<TypeId>
FabricHelper::GetLoadBalancerType() const
{
    return m_balancers.IsTypeIdSet() ? std::optional(m_balancers.GetTypeId()) : std::nullopt;
}

void
FabricHelper::UseArrivalAction(const ObjectFactory& type)
{
    m_arrivalActions = type;
}

void
FabricHelper::AddStartAction(const ObjectFactory& type)
{
    m_startActions.push_back(type);
}

std::vector<TypeId>
FabricHelper::FindTypes(TypeId kind)
{
    std::vector<TypeId> types;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId type = TypeId::GetRegistered(i);
        if (type.IsChildOf(kind) && type.HasConstructor())
        {
            types.push_back(type);
        }
    }
    // Types are registered in the order of static initialisation, which is the linker's choice. So
    // the list is sorted by name.
    std::sort(
        types.begin(), types.end(), [](TypeId a, TypeId b) { return a.GetName() < b.GetName(); });
    return types;
}

Ptr<FabricNic>
FabricHelper::InstallNic(Ptr<Node> node)
{
    Ptr<FabricNic> nic = m_nics.Create<FabricNic>();
    Install(node, nic);
    return nic;
}

Ptr<FabricSwitch>
FabricHelper::InstallSwitch(Ptr<Node> node)
{
    Ptr<FabricSwitch> made = m_switches.Create<FabricSwitch>();
    Install(node, made);
    return made;
}

NetDeviceContainer
FabricHelper::Connect(Ptr<Node> a, Ptr<Node> b)
{
    Ptr<FabricPort> portA = AddPort(a);
    Ptr<FabricPort> portB = AddPort(b);
    m_channels.Create<FabricChannel>()->Connect(portA, portB);
    NetDeviceContainer ends;
    ends.Add(portA);
    ends.Add(portB);
    return ends;
}

Ptr<Fabric>
FabricHelper::GetFabric() const
{
    return m_fabric;
}

void
FabricHelper::UseFabricSimulator(uint64_t scrambleSeed)
{
    const TypeId type = FabricSimulatorImpl::GetTypeId();
    GlobalValue::Bind("SimulatorImplementationType", StringValue(type.GetName()));
    // ns-3 makes its simulator when it is first asked for it, and keeps that one. Asking here finds
    // a wrong simulator at once.
    const auto simulator = DynamicCast<FabricSimulatorImpl>(Simulator::GetImplementation());
    NS_ABORT_MSG_IF(!simulator, "another simulator is in use; choose before, or destroy it");
    simulator->SetAttribute("ScrambleSeed", UintegerValue(scrambleSeed));
}

void
FabricHelper::Install(Ptr<Node> node, Ptr<FabricNode> made)
{
    if (m_balancers.IsTypeIdSet())
    {
        // Balancers and arrival actions may have a state, so each node gets its own.
        made->SetLoadBalancer(m_balancers.Create<FabricLoadBalancer>());
    }
    if (m_arrivalActions.IsTypeIdSet())
    {
        made->SetArrivalAction(m_arrivalActions.Create<FabricArrivalAction>());
    }
    node->AggregateObject(made);
    m_fabric->AddNode(*made);
}

Ptr<FabricPort>
FabricHelper::AddPort(Ptr<Node> node)
{
    Ptr<FabricNode> fabricNode = node->GetObject<FabricNode>();
    NS_ABORT_MSG_IF(!fabricNode, "the node is no part of a fabric; install a NIC or a switch");
    Ptr<FabricPort> port = m_ports.Create<FabricPort>();
    for (const ObjectFactory& action : m_startActions)
    {
        // These come first: FabricPort::Prepare adds the actions that the port's own attributes ask
        // for later.
        port->AddStartAction(action.Create<FabricStartAction>());
    }
    node->AddDevice(port);
    fabricNode->AddPort(port);
    return port;
}

} // namespace ns3
