// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/routing.h"
#include "network/topology.h"
#include "simulation/run-input.h"

#include <cstdint>

namespace nadi
{

/// Whether keys and values on their way from prefill to decode may take a link that passes take
/// too, of instances of which `layers` of a stage are simulated and stand for others. Passes are
/// taken to use all ways between the ranks that call collectives together.
bool DoTransfersMeetPasses(const ServingInput& serving,
                           uint64_t layers,
                           const Topology& topology,
                           const Routing& routing);

} // namespace nadi
