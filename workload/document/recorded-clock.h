// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/document/trace-document.h"

#include <cstdint>
#include <limits>

namespace nadi
{

/// The recorded start of a node, in nanoseconds, cut to 73 years around 0: sums of a few such times
/// fit 63 bits. Clocks count from 1970; what is no time of a clock so has a place among the others.
int64_t ClockStart(const ChakraProtoMsg::Node& node);

/// When the node ends that begins at `startNanos`: after its duration, which is cut alike, and
/// after 146 years at the latest. Requires: a start or an end that is cut.
int64_t ClockEndFrom(int64_t startNanos, const ChakraProtoMsg::Node& node);

/// Its recorded end: that from ClockStart.
int64_t ClockEnd(const ChakraProtoMsg::Node& node);

/// Which nodes have a recorded start, and when the first of them is. A start of 0 cannot be told
/// from none: it counts where the clock begins within a day of it.
class RecordedClock
{
  public:
    explicit RecordedClock(const TraceDocument& document);

    bool HasStart(const ChakraProtoMsg::Node& node) const
    {
        return m_hasZero || ClockStart(node) != 0;
    }

    /// The greatest number where no node has a start.
    int64_t Begin() const
    {
        return m_begin;
    }

  private:
    bool m_hasZero = false;
    int64_t m_begin = std::numeric_limits<int64_t>::max();
};

} // namespace nadi
