// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "proto/chakra.pb.h"
#include "workload/tools/editing/trace-job.h"

#include <cstdint>
#include <limits>

namespace nadi
{

/// When the recorded nodes of a job begin and end, in nanoseconds.
struct RecordedSpan
{
    int64_t start = std::numeric_limits<int64_t>::max();
    int64_t end = 0;

    bool IsEmpty() const
    {
        return start > end;
    }
};

/// Over all ranks; empty where no node has a start above 0.
RecordedSpan FindRecordedSpan(const TraceJob& job);

/// Moves a recorded start, but not to before the clock's zero.
void MoveStart(ChakraProtoMsg::Node& node, int64_t shiftNanos);

} // namespace nadi
