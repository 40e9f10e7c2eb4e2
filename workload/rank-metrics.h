// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"

namespace nadi
{

/// Where one rank's time went (docs/semantics.md 8).
///
/// Holds: compute + exposedCommunication + idle == finish, exactly.
struct RankMetrics
{
    SimTime finish;               ///< completion of its last node
    SimTime compute;              ///< union of its compute and memory nodes
    SimTime communication;        ///< union of its communication in progress
    SimTime exposedCommunication; ///< communication outside compute
    SimTime idle;
    /// The part of exposedCommunication in which a collective of this rank waited for members that
    /// had not called it yet.
    SimTime waiting;
    /// The sum, over the collectives that this rank was the last to call, of what the other members
    /// waited in the mean, compute aside. Of several that came last at one instant, the lowest rank
    /// has it all.
    SimTime waitedFor;
};

} // namespace nadi
