// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/in-network-options.h"
#include "network/topology.h"

#include <string>
#include <vector>

namespace nadi
{

/// By vertex: whether it is a switch that computes. NICs that NPUs share compute only where
/// `options.switches` name them.
///
/// Throws ConfigError at `options.where`: the topology has no switch; a pattern fits none.
std::vector<bool> FindComputingSwitches(const Topology& topology, const InNetworkOptions& options);

} // namespace nadi
