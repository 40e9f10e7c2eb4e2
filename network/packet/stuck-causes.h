// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/packet/fabric-routing-adapter.h"
#include "network/topology.h"

#include <string>
#include <vector>

namespace nadi
{

/// Why messages wait in a fabric in which nothing will happen any more, a sentence each: the links
/// that are down at `now` on their ways (all that are down, where one has no way), and timeouts
/// that lie after the end of the clock. Empty: neither is a cause.
std::vector<std::string> FindStuckCauses(const Topology& topology,
                                         const BuiltFabric& built,
                                         const FabricRoutingAdapter& routing,
                                         SimTime now);

} // namespace nadi
