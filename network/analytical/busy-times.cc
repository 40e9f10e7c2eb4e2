// SPDX-License-Identifier: GPL-2.0-only
#include "network/analytical/busy-times.h"

#include "common/check.h"

#include <algorithm>

namespace nadi
{

/// Once the pieces are taken there is no free time from `from` to the end of the last piece. So the
/// spans that lie there or touch it become one, and the list stays short however busy the port is.
SimTime
BusyTimes::Take(SimTime from, SimTime length, SimTime now)
{
    NADI_CHECK(now <= from && length > SimTime());
    Forget(now);
    const auto first =
        std::lower_bound(m_spans.begin(),
                         m_spans.end(),
                         from,
                         [](const Span& span, SimTime time) { return span.end < time; });
    Span joined{from, from + length};
    auto next = first;
    // The end moves on by the part of each taken span that lies after `from`.
    for (; next != m_spans.end() && next->begin < joined.end; ++next)
    {
        joined.begin = std::min(joined.begin, next->begin);
        joined.end += next->end - std::max(next->begin, from);
    }
    const SimTime end = joined.end;
    if (next != m_spans.end() && next->begin == end)
    {
        joined.end = next->end;
        ++next;
    }
    if (first == next)
    {
        m_spans.insert(first, joined);
        return end;
    }
    *first = joined;
    m_spans.erase(first + 1, next);
    return end;
}

void
BusyTimes::Forget(SimTime now)
{
    const auto isPast = [now](const Span& span) { return span.end <= now; };
    m_spans.erase(m_spans.begin(), std::find_if_not(m_spans.begin(), m_spans.end(), isPast));
}

} // namespace nadi
