// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/rank-placement.h"
#include "system/communicator.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi
{

/// [rank] -> the node that it stands in.
using NodeOfRank = std::vector<uint32_t>;

/// How many members of a group gather or reduce within a node before their bytes go to the next
/// one: each member sends the c-th part of a buffer between nodes. 1 for a flat list.
///
/// It is the number of members along the inner dimensions of the layout whose lines lie in one node
/// each.
uint32_t CountInside(const CommunicatorLayout& layout, const NodeOfRank& nodes);

/// A group that passes data on between nodes, and what a new stack must keep.
struct CrossingGroup
{
    const Communicator* group;
    uint32_t inside; ///< CountInside in the present stack
    bool isListed;   ///< it is to have more than that
};

/// Sizes for `system.dimensions` in which all listed groups have more members inside their nodes,
/// and no other group has fewer; of several, a stack that keeps most ranks inside. None where no
/// stack of two or three dimensions does so.
std::optional<std::vector<uint32_t>> FindFittingStack(const std::vector<CrossingGroup>& groups,
                                                      const NodeOfRank& nodes);

} // namespace nadi
