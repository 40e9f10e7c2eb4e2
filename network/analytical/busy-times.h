// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"

#include <vector>

namespace nadi
{

/// When a port is taken, now and later.
///
/// Holds: what was taken is never moved. So a delivery can be foretold when the message is sent.
class BusyTimes
{
  public:
    /// Takes the first `length` of free time from `from` on, in pieces where spans that were taken
    /// before lie between. Returns when the last piece ends. What ends by `now` is forgotten.
    /// Requires: now <= from; `now` never decreases; length > 0.
    SimTime Take(SimTime from, SimTime length, SimTime now);

  private:
    struct Span
    {
        SimTime begin;
        SimTime end; ///< the first free instant
    };

    void Forget(SimTime now);

    std::vector<Span> m_spans; // in order, apart from each other
};

} // namespace nadi
