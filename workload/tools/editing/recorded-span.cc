// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/editing/recorded-span.h"

#include "workload/document/node-attributes.h"
#include "workload/document/recorded-clock.h"

#include <algorithm>

namespace nadi
{

RecordedSpan
FindRecordedSpan(const TraceJob& job)
{
    RecordedSpan span;
    for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
    {
        // The graphs of the job have no starts, so each trace is read again.
        for (const ChakraProtoMsg::Node& node : job.ReadRank(rank).nodes)
        {
            // A node without a recorded start says 0.
            const int64_t start = ClockStart(node);
            if (start > 0)
            {
                span.start = std::min(span.start, start);
                span.end = std::max(span.end, ClockEnd(node));
            }
        }
    }
    return span;
}

void
MoveStart(ChakraProtoMsg::Node& node, int64_t shiftNanos)
{
    const int64_t start = ClockStart(node);
    if (start > 0)
    {
        SetStartNanos(node, std::max<int64_t>(start + shiftNanos, 0));
    }
}

} // namespace nadi
