// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/network-options.h"
#include "network/routing.h"
#include "network/topology.h"
#include "system/message-programs/program-maker.h"
#include "system/synthesis/route-model.h"

#include <optional>
#include <vector>

namespace nadi
{

/// What picks the ways of the communicator's messages. Nothing: load-balancing is not `ecmp`, so
/// that frames of one message may take several ways, or nobody said which communicator it is.
std::optional<synthesis::PickedWays> FindPickedWays(const PacketOptions& packet,
                                                    std::optional<CommunicatorId> communicator);

/// Whether the routing offers several equally good links somewhere on the ways between the ranks.
bool
HaveEqualWays(const Topology& topology, const Routing& routing, const std::vector<RankId>& ranks);

/// The wish without its communicator where no way of its messages depends on that. So communicators
/// of the same ranks share a program, and a kept program serves other jobs.
ProgramWish DropIdleCommunicator(const ProgramSurroundings& surroundings, ProgramWish wish);

} // namespace nadi
