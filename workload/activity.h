// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/units.h"

#include <cstdint>

namespace nadi
{

/// What a rank's time goes to (docs/semantics.md 8): each instant to exactly one.
enum class Activity : uint8_t
{
    Compute, ///< whether or not it also communicates
    ExposedCommunication,
    Idle,
};

/// Told where the time of ranks goes, as it goes.
class ActivityObserver
{
  public:
    virtual ~ActivityObserver() = default;
    /// Order: for each rank, every span begins where the one before ended, the first at 0; two in
    /// a row may be of one kind. Holds: start < end; the spans of a kind add up to the rank's
    /// RankMetrics.
    virtual void OnActivity(RankId rank, Activity activity, SimTime start, SimTime end) = 0;
};

} // namespace nadi
