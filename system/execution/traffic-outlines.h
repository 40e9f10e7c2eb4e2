// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/closed-traffic.h"
#include "system/execution/collective-run.h"

#include <cstdint>
#include <map>
#include <vector>

namespace nadi
{

/// Who sends to whom in a collective: what a backend needs to take it over as ClosedTraffic.
///
/// A collective may be taken over if each member waits for some message, so that none ends as it
/// begins; if no step waits for one of another lane; and if its messages are many for each pair of
/// members, but not so many that to remember them is not worth it.
///
/// Holds: an outline for each number that was asked for, of a few bytes for each pair of members.
class TrafficOutlines
{
  public:
    using Ends = std::vector<ClosedTraffic::Ends>;

    /// Empty: the collective may not be taken over. `number`: of the run's traffic
    /// (ClosedTraffic::Program).
    const Ends& Find(uint64_t number, CollectiveRun& run);

  private:
    std::map<uint64_t, Ends> m_outlines;
};

} // namespace nadi
