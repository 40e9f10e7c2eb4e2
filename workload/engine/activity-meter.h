// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "workload/rank-metrics.h"

#include <cstdint>

namespace nadi
{

/// Measures where one rank's time goes, while it goes: it counts what is in progress and, at every
/// change, credits the time since the last one. So unions of intervals need no list of them.
///
/// Requires: times never go back; every Begin has one End.
class ActivityMeter
{
  public:
    void BeginCompute(SimTime now);
    void EndCompute(SimTime now);
    void BeginCommunication(SimTime now);
    void EndCommunication(SimTime now);

    /// The rank did something that takes no time: its finish is not before `now`.
    void Touch(SimTime now);

    /// Up to the last change.
    RankMetrics Read() const;

  private:
    uint32_t m_computing = 0;
    uint32_t m_communicating = 0;
    RankMetrics m_totals; // finish = the last change; idle is derived
};

} // namespace nadi
