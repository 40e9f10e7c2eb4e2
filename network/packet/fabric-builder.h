// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/network-options.h"
#include "network/topology.h"

#include <ns3/fabric-nic.h>
#include <ns3/fabric-port.h>
#include <ns3/fabric.h>
#include <ns3/ptr.h>

#include <vector>

namespace nadi
{

/// The ns-3 objects of a topology.
///
/// Holds: the index of a node in the fabric is its vertex; the ports of a node are in the order of
/// the links that leave it.
struct BuiltFabric
{
    ns3::Ptr<ns3::Fabric> fabric;
    std::vector<ns3::Ptr<ns3::FabricNic>> nics; ///< by rank
    std::vector<ns3::FabricPort*> portOfLink;   ///< the sending port, by link; of the nodes
};

/// Makes nodes, NICs, switches, ports and channels; routing is left to the caller.
/// Requires: ns-3 counts picoseconds (an Ns3EventLoop exists).
/// Throws ConfigError where a frame size of the options is out of range.
BuiltFabric BuildFabric(const Topology& topology, const PacketOptions& options);

/// Throws ConfigError where the buffer of the options cannot hold what pauses need.
/// Requires: the fabric has its routing.
void CheckBuffers(const Topology& topology, const BuiltFabric& built, const PacketOptions& options);

} // namespace nadi
