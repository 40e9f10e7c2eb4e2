// SPDX-License-Identifier: GPL-2.0-only
#include "network/analytical/send-order.h"

#include <algorithm>

namespace nadi
{

SimTime
SendOrder::FindLast(const Message& message, SimTime enough) const
{
    // `latest` is the maximum over this entry and all before it, so once it is no later than
    // `enough`, nothing further back can be.
    for (size_t at = m_entries.size(); at > m_first && m_entries[at - 1].latest > enough; --at)
    {
        const Entry& entry = m_entries[at - 1];
        if (entry.destination == message.destination && entry.stream == message.stream)
        {
            return entry.delivered;
        }
    }
    return enough;
}

void
SendOrder::Add(const Message& message, SimTime delivered, SimTime now)
{
    while (m_first < m_entries.size() && m_entries[m_first].delivered <= now)
    {
        ++m_first;
    }
    // Moved only when half of the entries are forgotten, so that each is moved once, on average.
    if (2 * m_first >= m_entries.size())
    {
        m_entries.erase(m_entries.begin(),
                        m_entries.begin() + static_cast<std::ptrdiff_t>(m_first));
        m_first = 0;
    }
    const SimTime latest =
        m_entries.empty() ? delivered : std::max(delivered, m_entries.back().latest);
    m_entries.push_back({message.destination, message.stream, delivered, latest});
}

} // namespace nadi
