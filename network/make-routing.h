// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/routing.h"

#include <memory>
#include <vector>

namespace nadi
{

/// The routing that suits `topology`: dimension-ordered on a stack while no link has failed,
/// shortest paths elsewhere and around `failed` links.
/// Requires: the topology is validated, and outlives the routing.
std::unique_ptr<Routing> MakeRouting(const Topology& topology,
                                     const std::vector<LinkId>& failed = {});

} // namespace nadi
