// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "network/spine-tier.h"
#include "network/topology-generator.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

/// Nodes with an NVLink switch inside and NICs outside; all NICs of a node go to the same leaf.
/// One leaf is all there is, or spines join several.
///
/// Rank = node * npus-per-node + i. Node n hangs on leaf n / (nodes / leaves). Without
/// `nics-per-node` each NPU has a NIC of its own, and its links go to the leaf; otherwise NICs are
/// vertices that npus-per-node / nics-per-node neighbouring NPUs reach over PCIe.
///
/// Inside a node the way over a shared NIC or over the leaf has as few links as that over NVLink.
/// Routing counts the link by which an NPU leaves its node as two, so NVLink is always the shorter
/// way there, and between nodes nothing changes.
///
/// Switches: node0.nvswitch, ... (where a node has several NPUs), node0.nic0, ..., leaf0, ...,
/// spine0, ... Links: NVLinks in rank order, PCIe or NICs in rank order, those of shared NICs,
/// uplinks.
class NodesGenerator : public TopologyGenerator
{
  public:
    static constexpr const char* Help =
        "Nodes have an NVLink switch inside, and all NICs of a node are joined to one leaf switch. "
        "Several leaves are joined by spine switches.";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        return JoinSpecs(
            {RequiredCount("nodes", "The number of nodes."),
             RequiredCount(
                 "npus-per-node",
                 "The number of NPUs in each node. A node with one NPU has no NVLink switch."),
             OptionalCount("nics-per-node",
                           "0",
                           "The number of NICs that the NPUs of a node share over PCIe. It must "
                           "divide npus-per-node; 0 gives each NPU a NIC of its own."),
             OptionalCount("leaves", "1", "The number of leaf switches. It must divide nodes."),
             RequiredLink("nvlink", "between an NPU and the NVLink switch of its node"),
             RequiredLink("nic", "between a NIC and its leaf"),
             LinkLike("pcie", "nic", "between an NPU and the NIC that it shares over PCIe"),
             SpineTier::Specs("nic")});
    }

    explicit NodesGenerator(const Parameters& parameters)
        : m_nodes(GetCount(parameters, "nodes", 1))
        , m_npusPerNode(GetCount(parameters, "npus-per-node", 1))
        , m_nicsPerNode(GetCount(parameters, "nics-per-node", 0))
        , m_leaves(GetCount(parameters, "leaves", 1))
        , m_nvlink(GetLink(parameters, "nvlink"))
        , m_nic(GetLink(parameters, "nic"))
        , m_pcie(GetLink(parameters, "pcie"))
        , m_spines(parameters)
    {
        CheckDivides("nics-per-node", m_nicsPerNode, m_npusPerNode, "NPUs of a node");
        CheckDivides("leaves", m_leaves, m_nodes, "nodes");
        if (m_leaves > 1 && m_spines.IsEmpty())
        {
            throw ConfigError("spines",
                              fmt::format("0 spines join {} leaves; write 1 or more", m_leaves));
        }
    }

    TopologySize Size() const override
    {
        const uint64_t npus = CappedProduct({m_nodes, m_npusPerNode});
        const uint64_t nics = CappedProduct({m_nodes, m_nicsPerNode});
        return {npus,
                NvSwitchCount() + nics + m_leaves + m_spines.SpineCount(),
                (NvSwitchCount() > 0 ? 4 : 2) * npus + 2 * nics + m_spines.LinkCount(m_leaves)};
    }

    std::optional<NodeHardware> Nodes() const override
    {
        const bool isShared = m_nicsPerNode > 0;
        const SimTime toLeaf = m_nic.latency + (isShared ? m_pcie.latency : SimTime());
        return NodeHardware{.npusPerNode = m_npusPerNode,
                            .nodes = m_nodes,
                            .npuBandwidth = m_nvlink.bandwidth,
                            .nicsPerNode = isShared ? m_nicsPerNode : m_npusPerNode,
                            .nicBandwidth = m_nic.bandwidth,
                            .pathBandwidth = isShared ? std::min(m_pcie.bandwidth, m_nic.bandwidth)
                                                      : m_nic.bandwidth,
                            .insideLatency = m_nvlink.latency * 2,
                            .outsideLatency = toLeaf * 2};
    }

    void AddTo(Topology& topology) const override
    {
        const VertexRange npus = AddNpus(topology, m_nodes * m_npusPerNode);
        const VertexRange nvSwitches = AddSwitches(topology, "node", NvSwitchCount(), ".nvswitch");
        const VertexRange nics = AddNics(topology);
        const VertexRange leaves = AddSwitches(topology, "leaf", m_leaves);
        const VertexRange spines = m_spines.AddSpines(topology);
        for (uint32_t rank = 0; rank < npus.count && nvSwitches.count > 0; ++rank)
        {
            Join(topology, npus.At(rank), nvSwitches.At(rank / m_npusPerNode), m_nvlink);
        }
        if (nics.count == 0)
        {
            AddWaysOut(topology, npus, leaves, m_nic);
        }
        else
        {
            AddWaysOut(topology, npus, nics, m_pcie);
        }
        for (uint32_t nic = 0; nic < nics.count; ++nic)
        {
            Join(topology, nics.At(nic), leaves.At(nic / (nics.count / m_leaves)), m_nic);
        }
        m_spines.AddLinks(topology, leaves, spines);
    }

  private:
    static void
    CheckDivides(const std::string& name, uint32_t divisor, uint32_t count, const std::string& what)
    {
        if (divisor != 0 && count % divisor != 0)
        {
            throw ConfigError(name,
                              fmt::format("{} does not divide the {} {}; write a divisor of {}",
                                          divisor,
                                          count,
                                          what,
                                          count));
        }
    }

    uint32_t NvSwitchCount() const
    {
        return m_npusPerNode > 1 ? m_nodes : 0;
    }

    VertexRange AddNics(Topology& topology) const
    {
        const uint32_t first = topology.VertexCount();
        for (uint32_t node = 0; node < m_nodes; ++node)
        {
            AddSwitches(topology, fmt::format("node{}.nic", node), m_nicsPerNode);
        }
        return {first, m_nodes * m_nicsPerNode};
    }

    /// Joins equally many neighbouring NPUs to each of `exits`.
    static void AddWaysOut(Topology& topology, VertexRange npus, VertexRange exits, LinkRate rate)
    {
        constexpr uint32_t routingCost = 2;
        const uint32_t npusPerExit = npus.count / exits.count;
        for (uint32_t rank = 0; rank < npus.count; ++rank)
        {
            topology.AddCostlyLink(npus.At(rank), exits.At(rank / npusPerExit), rate, routingCost);
        }
    }

    uint32_t m_nodes;
    uint32_t m_npusPerNode;
    uint32_t m_nicsPerNode; // 0: the NPUs' own
    uint32_t m_leaves;
    LinkRate m_nvlink;
    LinkRate m_nic;
    LinkRate m_pcie;
    SpineTier m_spines;
};

NADI_REGISTER(TopologyGenerator, NodesGenerator, "nodes");

} // namespace nadi
