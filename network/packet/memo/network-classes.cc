// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/memo/network-classes.h"

#include "network/dateline.h"

#include <ns3/fabric-node.h>
#include <ns3/fabric-port.h>

#include <map>

namespace nadi
{

namespace
{

using Traits = std::vector<int64_t>;

/// Gives equal traits equal numbers.
class Numbering
{
  public:
    uint32_t NumberOf(const Traits& traits)
    {
        return m_numbers.try_emplace(traits, static_cast<uint32_t>(m_numbers.size())).first->second;
    }

  private:
    std::map<Traits, uint32_t> m_numbers;
};

/// What of a port changes times. The head bytes say after how many bytes the peer passes a frame
/// on.
void
AddPort(const ns3::FabricPort& port, Traits& traits)
{
    traits.push_back(static_cast<int64_t>(port.GetDataRate().GetBitRate()));
    traits.push_back(port.GetTimes().GetDelay());
    traits.push_back(port.GetTimes().GetHeadBytes());
}

Traits
DescribeNode(const ns3::FabricNode& node, VertexKind kind)
{
    Traits traits{static_cast<int64_t>(kind), node.GetLatency().GetTimeStep()};
    // The pool of a memory is what the headrooms of all ports leave, used or not.
    // Without memory the ports of a node share nothing, and the classes of its links say all.
    for (uint32_t i = 0; node.GetBuffer() != nullptr && i < node.GetNPorts(); ++i)
    {
        AddPort(node.GetPort(i), traits);
        AddPort(node.GetPort(i).GetPeer(), traits);
    }
    return traits;
}

} // namespace

bool
CanRemember(const ns3::Fabric& fabric)
{
    bool canRemember = !fabric.CanLose() && !fabric.HasManyWays();
    for (uint32_t i = 0; i < fabric.GetNNodes() && canRemember; ++i)
    {
        const ns3::FabricNode& node = fabric.GetNode(i);
        // An action may act on what no description knows, such as its own state.
        canRemember = !node.HasArrivalAction();
        for (uint32_t port = 0; port < node.GetNPorts() && canRemember; ++port)
        {
            canRemember = !node.GetPort(port).IsTraced() &&
                          node.GetPort(port).GetTimes().GetPlan() == nullptr;
        }
    }
    return canRemember;
}

bool
LearnsFromAnswers(const ns3::Fabric& fabric)
{
    const ns3::FabricCongestionSignals signals = fabric.GetProtocol().GetSignals();
    return signals.everyAcknowledgement || signals.telemetry;
}

/// Two links, or two nodes, have one number if nothing that can happen to frames there tells them
/// apart. A missing trait would make the memo answer wrongly; a needless one only costs answers.
NetworkClasses
FindNetworkClasses(const Topology& topology, const BuiltFabric& built)
{
    NetworkClasses classes;
    Numbering nodes;
    for (VertexId vertex{0}; vertex.value < topology.VertexCount(); ++vertex.value)
    {
        classes.ofVertex.push_back(nodes.NumberOf(
            DescribeNode(built.fabric->GetNode(vertex.value), topology.Vertex(vertex).kind)));
    }
    const bool hasPriorities = built.fabric->GetRouting().GetNPriorities() > 1;
    const Dateline dateline(topology);
    Numbering links;
    for (LinkId link{0}; link.value < topology.LinkCount(); ++link.value)
    {
        Traits traits;
        AddPort(*built.portOfLink[link.value], traits);
        if (hasPriorities)
        {
            // The priorities along a way are a function of these two of each of its links.
            traits.push_back(topology.Link(link).dimension);
            traits.push_back(dateline.IsDateline(link));
        }
        classes.ofLink.push_back(links.NumberOf(traits));
    }
    return classes;
}

std::vector<bool>
FindMemory(const Topology& topology, const ns3::Fabric& fabric)
{
    std::vector<bool> hasMemory;
    for (uint32_t vertex = 0; vertex < topology.VertexCount(); ++vertex)
    {
        hasMemory.push_back(fabric.GetNode(vertex).GetBuffer() != nullptr);
    }
    return hasMemory;
}

} // namespace nadi
