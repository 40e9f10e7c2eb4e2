// SPDX-License-Identifier: GPL-2.0-only
#include "network/node-tier.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

namespace
{

/// Of the links by which NPUs leave their nodes.
constexpr RoutingCost EXIT_COST{.transitNpus = 1};

} // namespace

std::vector<ParameterSpec>
NodeTier::CountSpecs(const std::string& defaultNpus)
{
    return JoinSpecs(
        {OptionalCount("npus-per-node",
                       defaultNpus,
                       "The number of NPUs in each node. A node with one NPU has no links inside."),
         OptionalCount("nics-per-node",
                       "0",
                       "The number of NICs that the NPUs of a node share over PCIe. It must divide "
                       "npus-per-node; 0 gives each NPU a NIC of its own.")});
}

std::vector<ParameterSpec>
NodeTier::LinkSpecs(const std::string& nic, const std::string& likeLink)
{
    return JoinSpecs(
        {NodeInside::Specs(likeLink),
         LinkLike("pcie", nic, "between an NPU and the NIC that it shares over PCIe")});
}

NodeTier::NodeTier(const Parameters& parameters, uint32_t nodes, const std::string& nic)
    : m_nodes(nodes)
    , m_npusPerNode(GetCount(parameters, "npus-per-node", 1))
    , m_sharedNicsPerNode(GetCount(parameters, "nics-per-node", 0))
    , m_inside(parameters, m_nodes, m_npusPerNode)
    , m_nic(GetLink(parameters, nic))
    , m_pcie(GetLink(parameters, "pcie"))
{
    if (HasSharedNics())
    {
        CheckDivides("nics-per-node", m_sharedNicsPerNode, m_npusPerNode, "NPUs of a node");
    }
}

uint32_t
NodeTier::NodeCount() const
{
    return m_nodes;
}

uint32_t
NodeTier::NpusPerNode() const
{
    return m_npusPerNode;
}

uint32_t
NodeTier::NicsPerNode() const
{
    return HasSharedNics() ? m_sharedNicsPerNode : m_npusPerNode;
}

uint64_t
NodeTier::NpuCount() const
{
    return CappedProduct({m_nodes, m_npusPerNode});
}

uint64_t
NodeTier::SwitchCount() const
{
    return m_inside.SwitchCount() + CappedProduct({m_nodes, m_sharedNicsPerNode});
}

uint64_t
NodeTier::LinkCount() const
{
    // Both directions count. Each NPU has one link by which it leaves the node; a shared NIC has
    // one more, to its switch.
    return m_inside.LinkCount() + 2 * (NpuCount() + CappedProduct({m_nodes, m_sharedNicsPerNode}));
}

std::vector<IdleParameter>
NodeTier::IdleParameters() const
{
    std::vector<IdleParameter> idle;
    if (m_npusPerNode == 1)
    {
        const std::string why = "a node with one NPU has no links inside";
        idle = {{"inside", why}, {"nvlink", why}};
    }
    if (!HasSharedNics())
    {
        idle.push_back({"pcie", "nics-per-node: 0 gives each NPU a NIC of its own"});
    }
    return idle;
}

NodeHardware
NodeTier::Describe(SimTime between) const
{
    NodeHardware hardware;
    hardware.npusPerNode = m_npusPerNode;
    hardware.nodes = m_nodes;
    hardware.nicsPerNode = NicsPerNode();
    hardware.nicBandwidth = m_nic.bandwidth;
    hardware.pathBandwidth = m_nic.bandwidth;
    // One link of a NIC at each end.
    hardware.outsideLatency = m_nic.latency * 2 + between;
    if (HasSharedNics())
    {
        hardware.pathBandwidth = std::min(m_pcie.bandwidth, m_nic.bandwidth);
        hardware.outsideLatency = hardware.outsideLatency + m_pcie.latency * 2;
    }
    m_inside.Describe(hardware);
    return hardware;
}

NodeTier::Vertices
NodeTier::AddVertices(Topology& topology) const
{
    Vertices vertices;
    vertices.npus = AddNpus(topology, m_nodes * m_npusPerNode);
    vertices.nvSwitches = m_inside.AddNvSwitches(topology);
    vertices.nics = {topology.VertexCount(), m_nodes * m_sharedNicsPerNode};
    for (uint32_t node = 0; node < m_nodes; ++node)
    {
        AddNics(topology, fmt::format("node{}.nic", node), m_sharedNicsPerNode);
    }
    return vertices;
}

void
NodeTier::AddLinks(Topology& topology,
                   const Vertices& vertices,
                   const std::function<VertexId(uint32_t)>& switchOf) const
{
    m_inside.AddLinks(topology, vertices.npus, vertices.nvSwitches);
    const uint32_t npusPerNic = m_npusPerNode / NicsPerNode();
    for (uint32_t rank = 0; rank < vertices.npus.count; ++rank)
    {
        // The cost stands on the link by which the NPU leaves the node: to the shared NIC where
        // there is one, else to the switch. The link of a NIC to its switch costs nothing more.
        const VertexId exit =
            HasSharedNics() ? vertices.nics.At(rank / npusPerNic) : switchOf(rank);
        topology.AddCostlyLink(
            vertices.npus.At(rank), exit, HasSharedNics() ? m_pcie : m_nic, EXIT_COST);
    }
    for (uint32_t nic = 0; nic < vertices.nics.count; ++nic)
    {
        Join(topology, vertices.nics.At(nic), switchOf(nic), m_nic);
    }
}

bool
NodeTier::HasSharedNics() const
{
    return m_sharedNicsPerNode > 0;
}

} // namespace nadi
