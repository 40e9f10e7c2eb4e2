// SPDX-License-Identifier: GPL-2.0-only
#include "network/node-tier.h"
#include "network/spine-tier.h"
#include "network/topology-generator.h"

#include <fmt/format.h>

namespace nadi
{

/// A rail-optimised network: the NPUs of a node are joined inside it, and the i-th NIC of every
/// node is on the leaf of rail i; spines join the rails.
///
/// Ranks and the vertices of nodes are those of NodeTier. The ways, where each NPU has its own NIC
/// and NPUs meet in NVLink switches:
///   the same node              NPU, NVLink switch, NPU               2 links
///   another node, same rail    NPU, leaf, NPU                        2 links
///   another node, other rail   NPU, leaf, spine, leaf, NPU           4 links
/// The detour of PXN (over NVLink to the NPU of the right rail, then its leaf) has four links too,
/// but takes another NPU as transit, so it serves only where there are no spines ("rail-only");
/// it is then as good to turn in the node of the sender as in that of the receiver, and each flow
/// picks one of the two by its hash.
///
/// Switches: those of the nodes, rail0.leaf, ..., spine0, ... Links: those of the nodes, uplinks.
class RailGenerator : public TopologyGenerator
{
  public:
    static constexpr const char* Help =
        "Nodes have links inside, and the i-th NIC of each node is on the leaf switch of rail i. "
        "Spine switches join the rails.";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        return JoinSpecs({RequiredCount("nodes", "The number of nodes."),
                          NodeTier::CountSpecs(""),
                          RequiredLink("nic", "between a NIC and the leaf of its rail"),
                          NodeTier::LinkSpecs("nic", ""),
                          SpineTier::Specs("nic")});
    }

    explicit RailGenerator(const Parameters& parameters)
        : m_nodes(parameters, GetCount(parameters, "nodes", 1), "nic")
        , m_spines(parameters)
    {
    }

    TopologySize Size() const override
    {
        return {m_nodes.NpuCount(),
                m_nodes.SwitchCount() + RailCount() + m_spines.SpineCount(),
                m_nodes.LinkCount() + m_spines.LinkCount(RailCount())};
    }

    std::optional<NodeHardware> Nodes() const override
    {
        NodeHardware hardware = m_nodes.Describe(SimTime()); // nodes meet in the leaf of each rail
        hardware.hasRails = true;
        return hardware;
    }

    std::vector<IdleParameter> IdleParameters() const override
    {
        std::vector<IdleParameter> idle = m_nodes.IdleParameters();
        for (const IdleParameter& parameter : m_spines.IdleParameters(WhyNoSpine()))
        {
            idle.push_back(parameter);
        }
        return idle;
    }

    void AddTo(Topology& topology) const override
    {
        const NodeTier::Vertices nodes = m_nodes.AddVertices(topology);
        const VertexRange leaves = AddSwitches(topology, "rail", RailCount(), ".leaf");
        const VertexRange spines = m_spines.AddSpines(topology);
        m_nodes.AddLinks(
            topology, nodes, [&](uint32_t nic) { return leaves.At(nic % RailCount()); });
        m_spines.AddLinks(topology, leaves, spines);
    }

  private:
    /// Why no message comes to a spine. Empty where some does.
    std::string WhyNoSpine() const
    {
        if (RailCount() == 1)
        {
            const char* const key = m_nodes.NpusPerNode() == 1 ? "npus-per-node" : "nics-per-node";
            return fmt::format("each node has one NIC, so there is one rail and no message goes to "
                               "a spine; write more {}",
                               key);
        }
        return m_nodes.NodeCount() == 1 ? "the messages of one node stay in it; write more nodes"
                                        : "";
    }

    uint32_t RailCount() const
    {
        return m_nodes.NicsPerNode();
    }

    NodeTier m_nodes;
    SpineTier m_spines;
};

NADI_REGISTER(TopologyGenerator, RailGenerator, "rail");

} // namespace nadi
