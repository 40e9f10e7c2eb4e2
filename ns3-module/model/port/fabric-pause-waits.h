// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_PAUSE_WAITS_H
#define FABRIC_PAUSE_WAITS_H

#include "ns3/fabric-flow.h"

#include <utility>
#include <vector>

namespace ns3
{

class Fabric;

/// \ingroup fabric
/// Which paused priorities of ports wait for which others now: (a, b) where `a` is paused by the
/// node at its far end, which holds frames from `a` that wait for its paused `b`. A cycle is a
/// deadlock.
std::vector<std::pair<FabricHop, FabricHop>> FindFabricPauseWaits(const Fabric& fabric);

} // namespace ns3

#endif /* FABRIC_PAUSE_WAITS_H */
