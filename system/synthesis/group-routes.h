// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/synthesis/message-times.h"
#include "system/synthesis/route-model.h"
#include "system/synthesis/transfer-waits.h"
#include "system/synthesis/transfer.h"
#include "system/synthesis/way-groups.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace nadi::synthesis
{

/// What all attempts at a collective of a group share: its ways, and what messages cost there.
struct GroupRoutes
{
    GroupRoutes(RouteModel model, const MessageCosts& messageCosts)
        : forward(std::move(model))
        , backward(forward.Reversed())
        , groups(FindWayGroups(forward))
        , backwardGroups(FindWayGroups(backward))
        , costs(messageCosts)
    {
    }

    RouteModel forward;
    RouteModel backward; ///< the same ways with their ends exchanged
    WayGroups groups;
    WayGroups backwardGroups;
    MessageCosts costs;
};

/// A schedule of a collective, and how long it takes.
struct Attempt
{
    Schedule schedule;
    uint32_t chunks = 1; ///< of the whole buffer; all-to-all: of all rows
    ChunkFlow flow = ChunkFlow::Spread;
    SimTime predicted;
};

} // namespace nadi::synthesis
