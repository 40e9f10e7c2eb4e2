// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/channel.h"
#include "network/topology.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

/// \file
/// Deadlocks of priority flow control: pauses that wait for one another in a circle.

namespace nadi
{

/// `first` is paused because the node at its end holds frames that wait for `second`.
using PauseWait = std::pair<Channel, Channel>;

/// Channels each of which waits for the next one, and the last for the first: none will ever move.
/// Nothing where there is no such circle.
///
/// Holds: the result depends on the set of waits only, not on their order; it starts with its
/// lowest channel and has none twice. Of several circles it is the one that leads from the lowest
/// channel that waits for any, by the lowest channels.
std::optional<std::vector<Channel>> FindPauseCycle(const std::vector<PauseWait>& waits);

/// The nodes that the cycle leads through: "leaf0 -> spine1 -> leaf2 -> leaf0".
/// Requires: the cycle is not empty; each link starts where the one before it ends, around the end.
std::string DescribePauseCycle(const Topology& topology, const std::vector<Channel>& cycle);

} // namespace nadi
