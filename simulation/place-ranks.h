// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/config.h"
#include "network/topology.h"

namespace nadi
{

/// The topology that `network` describes, with its memories, its NPUs numbered by the ranks of the
/// job that they host
/// (`workload.placement`).
///
/// Throws ConfigError: as MakeTopology, AttachMemories and CountRanks; a placement that does not
/// name an NPU of the topology for each rank; a snake where there are no dimensions, or other ones.
///
/// Throws RateOverflow where the links of an NPU, a switch or a memory are together too fast for
/// sums of rates.
Topology MakePlacedTopology(const Config& config);

} // namespace nadi
