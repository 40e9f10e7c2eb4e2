// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/link-fault.h"
#include "network/topology.h"

#include <optional>
#include <vector>

namespace nadi
{

/// The topology with each link at the highest bandwidth that it ever has: that of its own or of a
/// fault, which may raise it. What no run can beat there, none can beat at any moment. For bounds
/// alone: it has no dimensions, and no costs of routes. None: no fault raises a bandwidth, and the
/// topology itself will do.
std::optional<Topology> FindFastestTopology(const Topology& topology,
                                            const std::vector<LinkFault>& faults);

} // namespace nadi
