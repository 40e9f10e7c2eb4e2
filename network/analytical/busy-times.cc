// SPDX-License-Identifier: GPL-2.0-only
#include "network/analytical/busy-times.h"

#include "common/check.h"

#include <algorithm>

// A message that comes after the last span has begun makes that span longer or begins a new one,
// without a search (TakeAtEnd). Only a message that comes before the last span can find free time
// between spans (TakeBetween).
namespace nadi
{

SimTime
BusyTimes::Take(SimTime from, SimTime length, SimTime now)
{
    NADI_CHECK(now <= from && length > SimTime());
    Forget(now);
    return from >= m_last.begin ? TakeAtEnd(from, length, now) : TakeBetween(from, length);
}

/// No span begins after `from`.
SimTime
BusyTimes::TakeAtEnd(SimTime from, SimTime length, SimTime now)
{
    // A message that could start within the last span, or right at its end, extends it.
    if (from > m_last.end)
    {
        if (m_last.end > now)
        {
            m_spans.push_back(m_last);
        }
        m_last = {from, from};
    }
    m_last.end += length;
    return m_last.end;
}

/// Once the pieces are taken there is no free time from `from` to the end of the last piece. So the
/// spans that lie there or touch it become one, and the list stays short however busy the port is.
SimTime
BusyTimes::TakeBetween(SimTime from, SimTime length)
{
    m_spans.push_back(m_last);
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
    // A span that begins where the last piece ends delays nothing, but touches it: both become one
    // span.
    if (next != m_spans.end() && next->begin == end)
    {
        joined.end = next->end;
        ++next;
    }
    m_spans.insert(m_spans.erase(first, next), joined);
    // The joined span need not be the last one, so the last one is taken out of the list again.
    m_last = m_spans.back();
    m_spans.pop_back();
    return end;
}

void
BusyTimes::Forget(SimTime now)
{
    const auto isPast = [now](const Span& span) { return span.end <= now; };
    m_spans.erase(m_spans.begin(), std::find_if_not(m_spans.begin(), m_spans.end(), isPast));
}

} // namespace nadi
