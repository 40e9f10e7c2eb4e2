// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "workload/activity.h"
#include "workload/rank-metrics.h"

#include <cstdint>

namespace nadi
{

/// The time as one rank sees it.
struct ActivityClock
{
    SimTime now;
    SimTime outsideCompute; ///< the time so far in which the rank did not compute
};

/// Measures where one rank's time goes, while it goes: it counts what is in progress and, at every
/// change, credits the time since the last one. So unions of intervals need no list of them.
///
/// Example: compute in [0, 10), communication in [6, 15), nothing until 18. The changes are at 0,
/// 6, 10, 15 and 18, and each credits the span before it: [0, 6) and [6, 10) to compute (the second
/// one also to communication), [10, 15) to communication and to its exposed part, [15, 18) to idle.
///
/// Requires: times never go back; every Begin has one End.
class ActivityMeter
{
  public:
    /// Tells where the time of `rank` goes from now on. Requires: the observer outlives the meter.
    void ReportTo(ActivityObserver& observer, RankId rank)
    {
        m_observer = &observer;
        m_rank = rank;
    }

    void BeginCompute(SimTime now);
    void EndCompute(SimTime now);
    /// An access to memory, which counts as compute.
    void BeginAccess(SimTime now);
    void EndAccess(SimTime now);
    void BeginCommunication(SimTime now);
    void EndCommunication(SimTime now);

    /// The rank did something that takes no time: its finish is not before `now`.
    void Touch(SimTime now);

    /// What the clocks show now, which is not before the last change.
    ActivityClock ClockAt(SimTime now) const;

    /// Up to the last change.
    RankMetrics Read() const;

    /// As if something changed now.
    RankMetrics ReadAt(SimTime now) const;

  private:
    Activity FindActivity() const;

    uint32_t m_computing = 0; // accesses too
    uint32_t m_accessing = 0;
    uint32_t m_communicating = 0;
    RankMetrics m_totals; // finish = the last change; idle is derived
    ActivityObserver* m_observer = nullptr;
    RankId m_rank; // for the observer
};

} // namespace nadi
