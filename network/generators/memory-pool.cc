// SPDX-License-Identifier: GPL-2.0-only
#include "network/generator-parts.h"
#include "network/topology-generator.h"

#include <fmt/format.h>

#include <vector>

namespace nadi
{

/// Nodes of NPUs around a pool of memory (Won et al., "ASTRA-sim2.0: modeling hierarchical networks
/// and disaggregated systems for large-model training at scale", ISPASS 2023): NPUs hang on the
/// switches of their node, and these on the switches of the pool, where the memories are.
///
/// Rank = node * npus-per-node + i. Each NPU has a link to every in-node switch of its node, each
/// in-node switch one to every out-node switch. So two NPUs of a node are two links apart, by any
/// in-node switch of theirs; NPUs of different nodes are four links apart.
///
/// Switches: node by node node0.switch0, ..., then pool.switch0, ... Links: those of the NPUs in
/// rank order, then the uplinks node by node.
class MemoryPoolGenerator : public TopologyGenerator
{
  public:
    static constexpr const char* Help =
        "Nodes whose NPUs hang on in-node switches; out-node switches, where a pool of memories is "
        "attached, join the nodes.";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        return JoinSpecs(
            {RequiredCount("nodes", "The number of nodes."),
             RequiredCount("npus-per-node", "The number of NPUs in each node."),
             OptionalCount("in-node-switches",
                           "1",
                           "The number of switches in each node. Every NPU of the node has a link "
                           "to each of them."),
             RequiredCount("out-node-switches",
                           "The number of switches that join the nodes. Every in-node switch has a "
                           "link to each of them."),
             RequiredLink("link", "between an NPU and an in-node switch"),
             LinkLike("uplink", "link", "between an in-node and an out-node switch")});
    }

    explicit MemoryPoolGenerator(const Parameters& parameters)
        : m_nodes(GetCount(parameters, "nodes", 1))
        , m_npusPerNode(GetCount(parameters, "npus-per-node", 1))
        , m_inNodeSwitches(GetCount(parameters, "in-node-switches", 1))
        , m_outNodeSwitches(GetCount(parameters, "out-node-switches", 1))
        , m_link(GetLink(parameters, "link"))
        , m_uplink(GetLink(parameters, "uplink"))
    {
    }

    TopologySize Size() const override
    {
        return {CappedProduct({m_nodes, m_npusPerNode}),
                CappedProduct({m_nodes, m_inNodeSwitches}) + m_outNodeSwitches,
                CappedProduct({2, m_nodes, m_npusPerNode, m_inNodeSwitches}) +
                    CappedProduct({2, m_nodes, m_inNodeSwitches, m_outNodeSwitches})};
    }

    std::vector<uint32_t> StackSizes() const override
    {
        return {m_npusPerNode, m_nodes};
    }

    std::vector<IdleParameter> IdleParameters() const override
    {
        if (m_nodes > 1)
        {
            return {};
        }
        const std::string why = "the messages of one node stay in it, and there is no memory at a "
                                "switch of the pool; write more nodes, or network.memories";
        return {{.name = "out-node-switches",
                 .why = why,
                 .isUnreached = true,
                 .isAsked = m_outNodeSwitches > 1}, // there must be one
                {.name = "uplink", .why = why, .isUnreached = true}};
    }

    void AddTo(Topology& topology) const override
    {
        const VertexRange npus = AddNpus(topology, m_nodes * m_npusPerNode);
        const VertexRange inner{topology.VertexCount(), m_nodes * m_inNodeSwitches};
        for (uint32_t node = 0; node < m_nodes; ++node)
        {
            AddSwitches(topology, fmt::format("node{}.switch", node), m_inNodeSwitches);
        }
        const VertexRange outer = AddSwitches(topology, "pool.switch", m_outNodeSwitches);
        for (uint32_t node = 0; node < m_nodes; ++node)
        {
            JoinAll(topology,
                    {npus.At(node * m_npusPerNode).value, m_npusPerNode},
                    {inner.At(node * m_inNodeSwitches).value, m_inNodeSwitches},
                    m_link);
        }
        JoinAll(topology, inner, outer, m_uplink);
    }

  private:
    uint32_t m_nodes;
    uint32_t m_npusPerNode;
    uint32_t m_inNodeSwitches;
    uint32_t m_outNodeSwitches;
    LinkRate m_link;
    LinkRate m_uplink;
};

NADI_REGISTER(TopologyGenerator, MemoryPoolGenerator, "memory-pool");

} // namespace nadi
