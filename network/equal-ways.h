// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/routing.h"
#include "network/topology.h"

namespace nadi
{

/// Whether some message between NPUs and memories has a choice of links on its way, while no link
/// has failed. If not, load balancing has nothing to choose, and no frame overtakes another.
///
/// Large networks, where the answer would take long, are taken to have a choice. `routing` is that
/// of `topology`.
bool HasEqualWays(const Topology& topology, const Routing& routing);

} // namespace nadi
