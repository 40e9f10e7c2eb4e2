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
};

} // namespace nadi
