// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/config.h"
#include "network/topology.h"

#include <cstdint>

namespace nadi
{

/// The topology that `network` describes. Throws ConfigError for one that cannot be built.
Topology MakeTopology(const Config& config);

/// How many ranks the job has: as many as `workload.ranks` says, else as its model asks for, as
/// there are trace files, or as there are NPUs. No trace is read.
///
/// Throws ConfigError: there are no traces; more ranks than NPUs; a flow of a rank that
/// is none; chunks under way on all ranks that take many gigabytes.
uint32_t CountRanks(const Config& config, const Topology& topology);

} // namespace nadi
