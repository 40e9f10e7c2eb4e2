// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/generator-parts.h"
#include "network/node-hardware.h"

#include <string>
#include <vector>

namespace nadi
{

/// The links between the NPUs of a node, of nodes that are all alike: to a switch in the node, or
/// from NPU to NPU.
///
/// Parameters: `inside`, which names one of the three ways, and `nvlink`. The bandwidth of the
/// latter is that of an NPU with all its links together, so it says the same of each way: a link to
/// the switch has all of it, each of the links of a mesh of L NPUs 1 / (L - 1) of it. In the hybrid
/// cube mesh an NPU has links to four others, two of which are doubled: they are one link of twice
/// the bandwidth. A bandwidth is rounded down to whole bits per second.
///
/// A node with one NPU has nothing inside.
class NodeInside
{
  public:
    /// `likeLink` names the parameter of the link that `nvlink` is like unless given; where it is
    /// empty, `nvlink` must be given.
    static std::vector<ParameterSpec> Specs(const std::string& likeLink);

    /// Throws ConfigError at `inside` where nodes of `npusPerNode` NPUs cannot be joined that way.
    NodeInside(const Parameters& parameters, uint32_t nodes, uint32_t npusPerNode);

    uint32_t SwitchCount() const;

    /// Each direction counted.
    uint64_t LinkCount() const;

    /// Adds the switches: node0.nvswitch, ...
    VertexRange AddNvSwitches(Topology& topology) const;

    /// Adds the links: those to switches in rank order, those between NPUs node by node, by the
    /// lower and then by the higher NPU.
    void AddLinks(Topology& topology, VertexRange npus, VertexRange nvSwitches) const;

    /// Sets what `hardware` says of the inside of nodes.
    void Describe(NodeHardware& hardware) const;

  private:
    struct Wire;
    static NodeWiring FindWiring(const std::string& word);
    std::vector<Wire> MakeWires() const;
    Bandwidth WireBandwidth(uint32_t width) const;

    NodeWiring m_wiring;
    uint32_t m_nodes;
    uint32_t m_npusPerNode;
    LinkRate m_nvlink;
};

} // namespace nadi
