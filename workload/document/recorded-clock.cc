// SPDX-License-Identifier: GPL-2.0-only
#include "workload/document/recorded-clock.h"

#include "workload/document/node-attributes.h"

#include <algorithm>

namespace nadi
{

namespace
{

// 2^61 ns are 73 years. The sum of a start and a duration is at most 2^62, and the difference of
// two such sums fits 63 bits.
constexpr int64_t LATEST_NANOS = int64_t{1} << 61U;

} // namespace

int64_t
ClockStart(const ChakraProtoMsg::Node& node)
{
    return std::clamp(GetStartNanos(node), -LATEST_NANOS, LATEST_NANOS);
}

int64_t
ClockEndFrom(int64_t startNanos, const ChakraProtoMsg::Node& node)
{
    return std::min(startNanos + std::min(GetDurationNanos(node), LATEST_NANOS), 2 * LATEST_NANOS);
}

int64_t
ClockEnd(const ChakraProtoMsg::Node& node)
{
    return ClockEndFrom(ClockStart(node), node);
}

RecordedClock::RecordedClock(const TraceDocument& document)
{
    for (const ChakraProtoMsg::Node& node : document.nodes)
    {
        const int64_t start = ClockStart(node);
        m_hasZero = m_hasZero || start == 0;
        // Whether zeros count is known only when all starts are.
        m_begin = start == 0 ? m_begin : std::min(m_begin, start);
    }
    // Clocks that count from 1970 begin far from 0, so there a 0 is a node without a start.
    m_hasZero = m_hasZero && m_begin <= LATEST_BEGIN_NANOS;
    m_begin = m_hasZero ? std::min<int64_t>(m_begin, 0) : m_begin;
}

} // namespace nadi
