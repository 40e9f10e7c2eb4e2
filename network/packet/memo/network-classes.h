// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/packet/fabric-builder.h"
#include "network/topology.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// What behaves alike in a fabric has equal numbers.
struct NetworkClasses
{
    std::vector<uint32_t> ofVertex; ///< by kind and latency and, with finite memory, by all ports
    std::vector<uint32_t> ofLink;   ///< by rate, delay and whether the far end cuts through and,
                                    ///< where data has several priorities, by what decides on them
};

/// Requires: the fabric is prepared.
NetworkClasses FindNetworkClasses(const Topology& topology, const BuiltFabric& built);

/// Whether what happens in a part of the network that is at rest is a function of what enters it:
/// no frame is lost or overtaken, no link has faults, and nobody looks at frames. Requires: the
/// fabric is prepared.
bool CanRemember(const ns3::Fabric& fabric);

/// Whether queue pairs learn something from each message (its congestion control), and not only
/// from marks.
bool LearnsFromAnswers(const ns3::Fabric& fabric);

/// By vertex, whether frames of different links share memory there. Requires: the fabric is
/// prepared.
std::vector<bool> FindMemory(const Topology& topology, const ns3::Fabric& fabric);

} // namespace nadi
