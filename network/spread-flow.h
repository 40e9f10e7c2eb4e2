// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/routing.h"
#include "network/topology.h"

#include <map>

namespace nadi
{

/// Which part of a flow crosses which link.
using LinkShares = std::map<LinkId, double>;

/// Of one flow from an NPU to another that is spread over all equally good ways.
LinkShares
SpreadFlow(const Topology& topology, const Routing& routing, VertexId source, VertexId destination);

} // namespace nadi
