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
    SimTime memoryAlone;          ///< the part of `compute` in which memory nodes alone went on
    SimTime communication;        ///< union of its communication in progress
    SimTime exposedCommunication; ///< communication outside compute
    SimTime idle;
    /// The part of exposedCommunication in which a collective of this rank waited for members that
    /// had not called it yet.
    SimTime waiting;
    /// What the other ranks of the job waited for this one, in the mean: in the collectives that it
    /// was the last to call, of several at one instant the lowest. Where a rank waits in several
    /// collectives at once, the moment counts for the one that it called first.
    SimTime waitedFor;
};

} // namespace nadi
