// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/routing.h"
#include "network/topology.h"

#include <cstdint>

namespace nadi
{

/// Where messages between NPUs and memories find several equally good links.
enum class WayChoice : uint8_t
{
    None,
    AtSources, ///< only among the links of the NPU that sends: a queue pair keeps one of them
    OnTheWay,  ///< where frames of others are forwarded, so load balancing has a choice
};

/// The choice that some message has, while no link has failed.
///
/// Large networks, where the answer would take long, are taken to have one on the way. `routing` is
/// that of `topology`.
WayChoice FindWayChoice(const Topology& topology, const Routing& routing);

} // namespace nadi
