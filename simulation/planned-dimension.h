// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/dimension.h"
#include "network/neighbour-rates.h"
#include "network/network-options.h"

namespace nadi
{

/// A dimension of `size` over the routes of a topology, as schedules count with it. `shape`:
/// ROUTES, or one in which every two members share a link.
///
/// The latency of a dimension is that of a link, and a way through a switch has two of them: up and
/// down. So a way of 1001 ns becomes two links of 500.5 ns; an odd picosecond is rounded up, so
/// that the way is never counted shorter than it is.
Dimension PlanOverRoutes(uint32_t size,
                         const ComponentChoice& shape,
                         const NeighbourRates& rates,
                         const PacketOptions& options);

/// A dimension of the network's own stack, as schedules count with it: its links have the latency
/// of their switch, half of it each.
Dimension PlanOverLinks(Dimension dimension, const PacketOptions& options);

} // namespace nadi
