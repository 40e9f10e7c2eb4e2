// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/document/trace-document.h"
#include "workload/tools/editing/trace-job.h"

#include <cstdint>
#include <limits>

namespace nadi
{

/// When the recorded nodes of a job begin and end, in nanoseconds.
struct RecordedSpan
{
    int64_t start = std::numeric_limits<int64_t>::max();
    int64_t end = std::numeric_limits<int64_t>::min();

    bool IsEmpty() const
    {
        return start > end;
    }
};

/// Over all ranks; empty where no node has a recorded start (RecordedClock).
RecordedSpan FindRecordedSpan(const TraceJob& job);

/// Moves the recorded starts of a trace.
///
/// Requires: no start so moved is below -2^63 ns.
void MoveRecordedStarts(TraceDocument& document, int64_t shiftNanos);

} // namespace nadi
