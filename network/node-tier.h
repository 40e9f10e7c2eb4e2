// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/generator-parts.h"
#include "network/idle-parameter.h"
#include "network/node-hardware.h"
#include "network/node-inside.h"

#include <functional>
#include <string>
#include <vector>

namespace nadi
{

/// The lowest tier of a network: nodes that are all alike, with NPUs, the links inside, and NICs.
/// A NIC is joined to a switch of the tier above, which the generator names.
///
/// Parameters: `npus-per-node`, `nics-per-node`, those of NodeInside, `pcie`, and the link between
/// a NIC and its switch, whose name the generator chooses.
///
/// Rank = node * npus-per-node + i. Without `nics-per-node` each NPU has a NIC of its own, which is
/// no vertex: the NPU has the link to the switch. Otherwise NICs are vertices, each joined over
/// PCIe to npus-per-node / nics-per-node neighbouring NPUs.
///
/// Routing counts a link by which an NPU leaves its node like an NPU in transit. So messages stay
/// inside a node, even where they cross another NPU of it; between nodes it changes nothing, since
/// every way has two such links.
class NodeTier
{
  public:
    /// What is added to a topology, in this order.
    struct Vertices
    {
        VertexRange npus;
        VertexRange nvSwitches; ///< none where NPUs are joined without, or there is one in a node
        VertexRange nics;       ///< none where NPUs have their own
    };

    /// The numbers of NPUs and NICs. `defaultNpus` is empty where npus-per-node must be given.
    static std::vector<ParameterSpec> CountSpecs(const std::string& defaultNpus);

    /// The links inside nodes and to shared NICs; they may be like the link `nic`, which must stand
    /// before them. `likeLink` is as in NodeInside::Specs.
    static std::vector<ParameterSpec> LinkSpecs(const std::string& nic,
                                                const std::string& likeLink);

    /// `nic` names the parameter of the link between a NIC and its switch. Throws ConfigError where
    /// the numbers do not fit each other.
    NodeTier(const Parameters& parameters, uint32_t nodes, const std::string& nic);

    uint32_t NodeCount() const;
    uint32_t NpusPerNode() const;
    uint32_t NicsPerNode() const; ///< NPUs' own ones counted

    uint64_t NpuCount() const;
    uint64_t SwitchCount() const; ///< with shared NICs
    uint64_t LinkCount() const;   ///< up to the switches of the tier above; each direction counted

    /// Those of links that the nodes do not have.
    std::vector<IdleParameter> IdleParameters() const;

    /// `between` is the latency between the switches of the nearest two NICs of different nodes.
    NodeHardware Describe(SimTime between) const;

    Vertices AddVertices(Topology& topology) const;

    /// Adds the links inside nodes, those over PCIe in rank order, and those of NICs. `switchOf`
    /// names the switch of a NIC; these are counted over all nodes.
    void AddLinks(Topology& topology,
                  const Vertices& vertices,
                  const std::function<VertexId(uint32_t)>& switchOf) const;

  private:
    bool HasSharedNics() const;

    uint32_t m_nodes;
    uint32_t m_npusPerNode;
    uint32_t m_sharedNicsPerNode; // 0: the NPUs' own
    NodeInside m_inside;
    LinkRate m_nic;
    LinkRate m_pcie;
};

} // namespace nadi
