// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"

#include <cstdint>

namespace nadi
{

/// How the NPUs of a node are joined.
enum class NodeWiring : uint8_t
{
    Switch,        ///< each to a switch of the node
    Mesh,          ///< every two by a link
    HybridCubeMesh ///< as in a DGX-1: eight, each to four others, to two of them doubly
};

/// A network whose NPUs stand in nodes, as a communication library sees it when it looks at the
/// machine: all nodes are alike. Bandwidths are those of one direction.
struct NodeHardware
{
    uint32_t npusPerNode = 1; ///< NPU = node * npusPerNode + place in the node
    uint32_t nodes = 1;

    /// Of an NPU into its node, all its links there together. Of no account with one NPU a node.
    Bandwidth npuBandwidth;
    NodeWiring wiring = NodeWiring::Switch;

    /// Neighbouring NPUs share a NIC where there are fewer NICs than NPUs.
    uint32_t nicsPerNode = 1;

    uint32_t NpusPerNic() const
    {
        return npusPerNode / nicsPerNode;
    }

    Bandwidth nicBandwidth;  ///< of a NIC into the network
    Bandwidth pathBandwidth; ///< of the way between an NPU and its NIC; that of the NIC or less

    bool hasRails = false; ///< the k-th NICs of all nodes meet in a switch of their own

    SimTime insideLatency;  ///< of the way between two NPUs of a node that have a link or a switch
    SimTime outsideLatency; ///< of the shortest way between NPUs of two nodes
};

} // namespace nadi
