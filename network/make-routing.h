// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/routing.h"

#include <memory>

namespace nadi
{

/// The routing that suits `topology`: dimension-ordered on a stack, shortest paths elsewhere.
/// Requires: the topology is validated, and outlives the routing.
std::unique_ptr<Routing> MakeRouting(const Topology& topology);

} // namespace nadi
