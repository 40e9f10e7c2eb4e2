// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "network/node-tier.h"
#include "network/spine-tier.h"
#include "network/topology-generator.h"

#include <fmt/format.h>

namespace nadi
{

/// Nodes whose NICs all go to the same leaf. One leaf is all there is, or spines join several.
///
/// Ranks and the vertices of nodes are those of NodeTier. Node n hangs on leaf
/// n / (nodes / leaves).
///
/// Switches: those of the nodes, leaf0, ..., spine0, ... Links: those of the nodes, uplinks.
class NodesGenerator : public TopologyGenerator
{
  public:
    static constexpr const char* Help =
        "Nodes have links inside, and all NICs of a node are joined to one leaf switch. Several "
        "leaves are joined by spine switches.";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        return JoinSpecs(
            {RequiredCount("nodes", "The number of nodes."),
             NodeTier::CountSpecs(""),
             OptionalCount("leaves", "1", "The number of leaf switches. It must divide nodes."),
             RequiredLink("nic", "between a NIC and its leaf"),
             NodeTier::LinkSpecs("nic", ""),
             SpineTier::Specs("nic")});
    }

    explicit NodesGenerator(const Parameters& parameters)
        : m_nodes(parameters, GetCount(parameters, "nodes", 1), "nic")
        , m_leaves(GetCount(parameters, "leaves", 1))
        , m_spines(parameters)
    {
        CheckDivides("leaves", m_leaves, m_nodes.NodeCount(), "nodes");
        if (m_leaves > 1 && m_spines.IsEmpty())
        {
            throw ConfigError("spines",
                              fmt::format("0 spines join {} leaves; write 1 or more", m_leaves));
        }
    }

    TopologySize Size() const override
    {
        return {m_nodes.NpuCount(),
                m_nodes.SwitchCount() + m_leaves + m_spines.SpineCount(),
                m_nodes.LinkCount() + m_spines.LinkCount(m_leaves)};
    }

    std::optional<NodeHardware> Nodes() const override
    {
        // The nearest nodes are two on one leaf, if a leaf has two; else they are two links further
        // apart, over a spine.
        const bool isLeafShared = m_leaves < m_nodes.NodeCount() || m_leaves == 1;
        return m_nodes.Describe(isLeafShared ? SimTime() : m_spines.LinkLatency() * 2);
    }

    std::vector<IdleParameter> IdleParameters() const override
    {
        std::vector<IdleParameter> idle = m_nodes.IdleParameters();
        const std::string why = m_leaves == 1 ? "leaves: 1 puts all nodes on one leaf, so no "
                                                "message goes to a spine; write more leaves"
                                              : "";
        for (const IdleParameter& parameter : m_spines.IdleParameters(why))
        {
            idle.push_back(parameter);
        }
        return idle;
    }

    void AddTo(Topology& topology) const override
    {
        const NodeTier::Vertices nodes = m_nodes.AddVertices(topology);
        const VertexRange leaves = AddSwitches(topology, "leaf", m_leaves);
        const VertexRange spines = m_spines.AddSpines(topology);
        const uint32_t nicsPerLeaf = m_nodes.NodeCount() / m_leaves * m_nodes.NicsPerNode();
        m_nodes.AddLinks(
            topology, nodes, [&](uint32_t nic) { return leaves.At(nic / nicsPerLeaf); });
        m_spines.AddLinks(topology, leaves, spines);
    }

  private:
    NodeTier m_nodes;
    uint32_t m_leaves;
    SpineTier m_spines;
};

NADI_REGISTER(TopologyGenerator, NodesGenerator, "nodes");

} // namespace nadi
