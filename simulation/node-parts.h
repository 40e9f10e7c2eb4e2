// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/rank-placement.h"

#include <cstdint>
#include <optional>

namespace nadi
{

/// The NPUs that a job uses, where it uses as many of each node as of any other.
struct NodeParts
{
    uint32_t npusPerNode = 1; ///< that host ranks
    uint32_t nodes = 1;       ///< that have such NPUs
};

/// Of a job of `ranks` in nodes of `npusPerNode`, in whatever order the ranks stand there. None
/// where it uses more NPUs of one node than of another.
std::optional<NodeParts>
FindNodeParts(const RankPlacement& placement, uint32_t ranks, uint32_t npusPerNode);

/// Where each rank stands if the NPUs without ranks are left out and the others keep their order.
RankPlacement PlaceOnUsedNpus(const RankPlacement& placement, uint32_t ranks);

} // namespace nadi
