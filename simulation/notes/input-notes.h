// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/config.h"
#include "network/link-fault.h"
#include "network/network-options.h"
#include "network/routing.h"
#include "network/topology.h"
#include "workload/workload.h"

#include <string>
#include <vector>

namespace nadi
{

/// What is valid and yet may not be what the user meant, a sentence each: unused NPUs, a single
/// rank of a larger job, compute that takes no time.
std::vector<std::string>
FindInputNotes(const Config& config, const Topology& topology, const Workload& workload);

/// What the notes about the network look at. `routing` is that of `topology`.
struct NetworkScene
{
    const PacketOptions& packet;
    const Topology& topology;
    const Routing& routing;
    const std::vector<LinkFault>& faults;
};

/// The same for the mechanisms of the network: marks that nobody makes or nobody heeds, balancing
/// where there is but one way.
std::vector<std::string> FindNetworkNotes(const NetworkScene& scene);

} // namespace nadi
