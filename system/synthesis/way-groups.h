// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/synthesis/route-model.h"

#include <cstdint>
#include <vector>

namespace nadi::synthesis
{

/// Ranks that the fastest ways join: the NPUs of a node, or of a leaf whose uplinks are scarce.
struct WayGroups
{
    std::vector<uint32_t> groupOf; ///< by rank
    uint32_t count = 1;
    std::vector<bool> leaves; ///< by way: whether its ends are in different groups

    /// Whether there are several groups, and one of them has several ranks.
    bool AreUseful() const
    {
        return count > 1 && count < groupOf.size();
    }
};

/// The rate of a way is that of its slowest link when all ranks that must share the link do.
WayGroups FindWayGroups(const RouteModel& model);

/// For each port the way that brings it its first messages: that from the rank before the receiver,
/// when ranks are sorted by their groups. So on a switch all ranks form a ring, and no two of them
/// send to one port. A port where only other groups arrive takes the nearest senders first.
std::vector<uint32_t> FindFirstPartners(const RouteModel& model, const WayGroups& groups);

} // namespace nadi::synthesis
