// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/editing/recorded-span.h"

#include "workload/document/node-attributes.h"
#include "workload/document/recorded-clock.h"

#include <algorithm>
#include <limits>

namespace nadi
{

RecordedSpan
FindRecordedSpan(const TraceJob& job)
{
    RecordedSpan span;
    for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
    {
        // The graphs of the job have no starts, so each trace is read again.
        const TraceDocument document = job.ReadRank(rank);
        const RecordedClock clock(document);
        span.start = std::min(span.start, clock.Begin());
        for (const ChakraProtoMsg::Node& node : document.nodes)
        {
            span.end = clock.HasStart(node) ? std::max(span.end, ClockEnd(node)) : span.end;
        }
    }
    return span;
}

void
MoveRecordedStarts(TraceDocument& document, int64_t shiftNanos)
{
    constexpr int64_t MOST = std::numeric_limits<int64_t>::max();
    const RecordedClock clock(document);
    for (ChakraProtoMsg::Node& node : document.nodes)
    {
        if (clock.HasStart(node))
        {
            const int64_t start = ClockStart(node);
            // A shift from one end of the clock's range to the other may pass 63 bits.
            const bool passes = shiftNanos > 0 && start > MOST - shiftNanos;
            SetStartNanos(node, passes ? MOST : start + shiftNanos);
        }
    }
}

} // namespace nadi
