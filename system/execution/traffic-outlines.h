// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/closed-traffic.h"
#include "system/execution/collective-run.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace nadi
{

/// Who sends to whom in a collective: what a backend needs to take it over as ClosedTraffic.
///
/// A collective may be taken over if each member sends or receives something, so that none ends as
/// it begins; if no step waits for one of another lane; and if its messages are many for each pair
/// of members, but not so many that to remember them is not worth it.
///
/// Holds: outlines of `mostPairs` pairs of members in all at most, of 8 bytes each, and the one
/// that was asked for last. When there are more, all are forgotten, and made again when they are
/// asked for.
class TrafficOutlines
{
  public:
    using Ends = std::vector<ClosedTraffic::Ends>;

    explicit TrafficOutlines(size_t mostPairs = size_t{1} << 20)
        : m_mostPairs(mostPairs)
    {
    }

    /// Empty: the collective may not be taken over. Valid until the next call. `number`: of the
    /// run's traffic (ClosedTraffic::Program).
    const Ends& Find(uint64_t number, CollectiveRun& run);

    /// How many outlines are kept.
    size_t Size() const
    {
        return m_outlines.size();
    }

  private:
    std::map<uint64_t, Ends> m_outlines;
    size_t m_mostPairs;
    size_t m_pairs = 0; // of all outlines, each with what it takes itself
};

} // namespace nadi
