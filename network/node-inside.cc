// SPDX-License-Identifier: GPL-2.0-only
#include "network/node-inside.h"

#include "common/error.h"

#include <fmt/format.h>

namespace nadi
{

/// Links between two NPUs of a node, counted from 0 in the node: `width` of them, as one.
struct NodeInside::Wire
{
    uint32_t from;
    uint32_t to; ///< greater than `from`
    uint32_t width;
};

namespace
{

constexpr uint32_t CUBE_NPUS = 8;
constexpr uint32_t CUBE_LINKS_PER_NPU = 6;

} // namespace

std::vector<ParameterSpec>
NodeInside::Specs(const std::string& likeLink)
{
    const std::string like = likeLink.empty() ? "" : "as " + likeLink;
    return {{.name = "inside",
             .kind = ParameterKind::Word,
             .defaultText = "switch",
             .help =
                 "How the NPUs of a node are joined: by a switch; by a mesh, in which every two "
                 "of them share a link; or by the hybrid cube mesh of a DGX-1, which has 8 "
                 "NPUs, and in which messages between two NPUs without a link cross a third.",
             .words = {"switch", "mesh", "hybrid-cube-mesh"}},
            {.name = "nvlink.bandwidth",
             .kind = ParameterKind::Rate,
             .defaultText = likeLink.empty() ? "" : like + ".bandwidth",
             .help = "The bandwidth of an NPU into its node, all its links there together, in one "
                     "direction. The link to a switch has all of it; a link of a mesh has 1 / "
                     "(npus-per-node - 1) of it; a link of a hybrid cube mesh has 1/6 of it, or "
                     "2/6 where the machine has two."},
            {.name = "nvlink.latency",
             .kind = ParameterKind::Duration,
             .defaultText = likeLink.empty() ? "" : like + ".latency",
             .help = "The latency of a link inside a node, in one direction. Over a switch, two "
                     "NPUs are two links apart."}};
}

NodeInside::NodeInside(const Parameters& parameters, uint32_t nodes, uint32_t npusPerNode)
    : m_wiring(FindWiring(parameters.Get<std::string>("inside")))
    , m_nodes(nodes)
    , m_npusPerNode(npusPerNode)
    , m_nvlink(GetLink(parameters, "nvlink"))
{
    if (m_wiring == NodeWiring::HybridCubeMesh && m_npusPerNode != CUBE_NPUS)
    {
        throw ConfigError("inside",
                          fmt::format("a hybrid cube mesh joins {} NPUs, but npus-per-node is {}; "
                                      "write {} NPUs, or switch or mesh",
                                      CUBE_NPUS,
                                      m_npusPerNode,
                                      CUBE_NPUS));
    }
}

/// Requires: a word that `inside` may have, as the parameter has checked.
NodeWiring
NodeInside::FindWiring(const std::string& word)
{
    if (word == "switch")
    {
        return NodeWiring::Switch;
    }
    return word == "mesh" ? NodeWiring::Mesh : NodeWiring::HybridCubeMesh;
}

uint32_t
NodeInside::SwitchCount() const
{
    return m_wiring == NodeWiring::Switch && m_npusPerNode > 1 ? m_nodes : 0;
}

uint64_t
NodeInside::LinkCount() const
{
    if (m_npusPerNode == 1)
    {
        return 0;
    }
    switch (m_wiring)
    {
    case NodeWiring::Switch:
        return CappedProduct({2, m_nodes, m_npusPerNode});
    case NodeWiring::Mesh:
        return CappedProduct({m_nodes, m_npusPerNode, m_npusPerNode - 1});
    case NodeWiring::HybridCubeMesh:
        return CappedProduct({2, m_nodes, MakeWires().size()});
    }
    return 0;
}

VertexRange
NodeInside::AddNvSwitches(Topology& topology) const
{
    return AddSwitches(topology, "node", SwitchCount(), ".nvswitch");
}

void
NodeInside::AddLinks(Topology& topology, VertexRange npus, VertexRange nvSwitches) const
{
    // At most one of the two loops has something to do: a node has a switch or wires.
    for (uint32_t rank = 0; rank < npus.count && nvSwitches.count > 0; ++rank)
    {
        Join(topology, npus.At(rank), nvSwitches.At(rank / m_npusPerNode), m_nvlink);
    }
    const std::vector<Wire> wires = MakeWires();
    for (uint32_t first = 0; first < npus.count; first += m_npusPerNode)
    {
        for (const Wire& wire : wires)
        {
            Join(topology,
                 npus.At(first + wire.from),
                 npus.At(first + wire.to),
                 {WireBandwidth(wire.width), m_nvlink.latency});
        }
    }
}

void
NodeInside::Describe(NodeHardware& hardware) const
{
    hardware.npuBandwidth = m_nvlink.bandwidth;
    hardware.wiring = m_wiring;
    // Over a switch two NPUs are two links apart. In a hybrid cube mesh this is the latency between
    // neighbours.
    hardware.insideLatency =
        m_wiring == NodeWiring::Switch ? m_nvlink.latency * 2 : m_nvlink.latency;
}

/// The links from NPU to NPU of one node.
std::vector<NodeInside::Wire>
NodeInside::MakeWires() const
{
    if (m_wiring == NodeWiring::HybridCubeMesh)
    {
        // As `nvidia-smi topo -m` shows them on a DGX-1 with V100s (Microway, "nvidia-smi: Control
        // Your GPUs"; the tests of MSCCL's topologies have the same table): two quads in which all
        // are joined, and a link from each NPU to its counterpart in the other quad.
        return {{0, 1, 1},
                {0, 2, 1},
                {0, 3, 2},
                {0, 4, 2},
                {1, 2, 2},
                {1, 3, 1},
                {1, 5, 2},
                {2, 3, 2},
                {2, 6, 1},
                {3, 7, 1},
                {4, 5, 1},
                {4, 6, 1},
                {4, 7, 2},
                {5, 6, 2},
                {5, 7, 1},
                {6, 7, 2}};
    }
    std::vector<Wire> wires;
    for (uint32_t from = 0; m_wiring == NodeWiring::Mesh && from < m_npusPerNode; ++from)
    {
        for (uint32_t to = from + 1; to < m_npusPerNode; ++to)
        {
            wires.push_back({from, to, 1});
        }
    }
    return wires;
}

/// Of one of these, which is `width` links of the machine.
Bandwidth
NodeInside::WireBandwidth(uint32_t width) const
{
    // In a mesh each NPU has a link to every other one. Requires: a node has two NPUs or more.
    // Otherwise there are no wires.
    const uint32_t linksPerNpu =
        m_wiring == NodeWiring::HybridCubeMesh ? CUBE_LINKS_PER_NPU : m_npusPerNode - 1;
    const detail::Wide bits = detail::Wide{m_nvlink.bandwidth.BitsPerSecond()} * width;
    return Bandwidth::FromBitsPerSecond(static_cast<int64_t>(bits / linksPerNpu));
}

} // namespace nadi
