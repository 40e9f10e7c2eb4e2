// SPDX-License-Identifier: GPL-2.0-only
#include "network/spine-tier.h"
#include "network/topology-generator.h"

namespace nadi
{

/// A rail-optimised network: the NPUs of a node meet in its NVLink switch, and the i-th NPU of
/// every node has its NIC on the leaf of rail i; spines join the rails.
///
/// Rank = node * npus-per-node + i. The ways:
///   the same node              NPU, NVLink switch, NPU               2 links
///   another node, same rail    NPU, leaf, NPU                        2 links
///   another node, other rail   NPU, leaf, spine, leaf, NPU           4 links
/// The detour of PXN (over NVLink to the NPU of the right rail, then its leaf) has four links too,
/// but takes another NPU as transit, so it serves only where there are no spines ("rail-only");
/// it is then as good to turn in the node of the sender as in that of the receiver, and each flow
/// picks one of the two by its hash.
///
/// Switches: node0.nvswitch, ... (where a node has several NPUs), rail0.leaf, ..., spine0, ...
/// Links: NVLinks in rank order, NICs in rank order, uplinks.
class RailGenerator : public TopologyGenerator
{
  public:
    static constexpr const char* Help =
        "Nodes have an NVLink switch inside, and the i-th NPU of each node has its NIC on the leaf "
        "switch of rail i. Spine switches join the rails.";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        return JoinSpecs(
            {RequiredCount("nodes", "The number of nodes."),
             RequiredCount("npus-per-node",
                           "The number of NPUs in each node, which is also the number of rails. A "
                           "node with one NPU has no NVLink switch."),
             RequiredLink("nvlink", "between an NPU and the NVLink switch of its node"),
             RequiredLink("nic", "between an NPU and the leaf of its rail"),
             SpineTier::Specs("nic")});
    }

    explicit RailGenerator(const Parameters& parameters)
        : m_nodes(GetCount(parameters, "nodes", 1))
        , m_npusPerNode(GetCount(parameters, "npus-per-node", 1))
        , m_nvlink(GetLink(parameters, "nvlink"))
        , m_nic(GetLink(parameters, "nic"))
        , m_spines(parameters)
    {
    }

    TopologySize Size() const override
    {
        const uint64_t npus = CappedProduct({m_nodes, m_npusPerNode});
        return {npus,
                uint64_t{NvSwitchCount()} + m_npusPerNode + m_spines.SpineCount(),
                (NvSwitchCount() > 0 ? 4 : 2) * npus + m_spines.LinkCount(m_npusPerNode)};
    }

    std::optional<NodeHardware> Nodes() const override
    {
        return NodeHardware{.npusPerNode = m_npusPerNode,
                            .nodes = m_nodes,
                            .npuBandwidth = m_nvlink.bandwidth,
                            .nicsPerNode = m_npusPerNode,
                            .nicBandwidth = m_nic.bandwidth,
                            .pathBandwidth = m_nic.bandwidth,
                            .insideLatency = m_nvlink.latency * 2,
                            .outsideLatency = m_nic.latency * 2};
    }

    void AddTo(Topology& topology) const override
    {
        const VertexRange npus = AddNpus(topology, m_nodes * m_npusPerNode);
        const VertexRange nvSwitches = AddSwitches(topology, "node", NvSwitchCount(), ".nvswitch");
        const VertexRange leaves = AddSwitches(topology, "rail", m_npusPerNode, ".leaf");
        const VertexRange spines = m_spines.AddSpines(topology);
        for (uint32_t rank = 0; rank < npus.count && nvSwitches.count > 0; ++rank)
        {
            Join(topology, npus.At(rank), nvSwitches.At(rank / m_npusPerNode), m_nvlink);
        }
        for (uint32_t rank = 0; rank < npus.count; ++rank)
        {
            Join(topology, npus.At(rank), leaves.At(rank % m_npusPerNode), m_nic);
        }
        m_spines.AddLinks(topology, leaves, spines);
    }

  private:
    uint32_t NvSwitchCount() const
    {
        return m_npusPerNode > 1 ? m_nodes : 0;
    }

    uint32_t m_nodes;
    uint32_t m_npusPerNode;
    LinkRate m_nvlink;
    LinkRate m_nic;
    SpineTier m_spines;
};

NADI_REGISTER(TopologyGenerator, RailGenerator, "rail");

} // namespace nadi
