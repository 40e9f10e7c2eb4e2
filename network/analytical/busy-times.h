// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"

#include <cstddef>
#include <vector>

namespace nadi
{

/// When a port is taken, now and later: the calendar of a receiving port, in which each message
/// takes the free time that is left when it is sent.
///
/// Example: [10, 20) and [30, 40) are taken. Take(from 15, length 12) gets [20, 30) and [40, 42),
/// and returns 42. As no free time is left between, one span [10, 42) remains.
///
/// Holds: what was taken is never moved. So a delivery can be foretold when the message is sent.
class BusyTimes
{
  public:
    /// Takes the first `length` of free time from `from` on, in pieces where spans that were taken
    /// before lie between. Returns when the last piece ends. What ends by `now` is forgotten.
    /// Requires: now <= from; `now` never decreases; length > 0.
    SimTime Take(SimTime from, SimTime length, SimTime now);

    /// How many spans are kept.
    size_t SpanCount() const
    {
        return m_spans.size() + 1;
    }

  private:
    struct Span
    {
        SimTime begin;
        SimTime end; ///< the first free instant
    };

    SimTime TakeAtEnd(SimTime from, SimTime length, SimTime now);
    SimTime TakeBetween(SimTime from, SimTime length);
    void Forget(SimTime now);

    // In order, apart from each other. The last one, beside which there mostly is no other, is
    // where its port is.
    std::vector<Span> m_spans;
    Span m_last;
};

} // namespace nadi
