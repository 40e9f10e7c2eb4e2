// SPDX-License-Identifier: GPL-2.0-only
#include "network/analytical/send-order.h"

#include <algorithm>

namespace nadi
{

SimTime
SendOrder::FindLastIn(const Message& message, SimTime enough) const
{
    // `latest` is the maximum over this entry and all before it, so once it is no later than
    // `enough`, nothing further back can be.
    for (size_t at = m_entries.size(); at > 0 && m_entries[at - 1].latest > enough; --at)
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
    if (m_entries.size() == m_entries.capacity())
    {
        MakeRoom(now);
    }
    // Appended in the order of the sends, whatever the deliveries. FindLastIn looks from the end,
    // so the first match there is the latest earlier message of the queue pair.
    m_latest = std::max(m_latest, delivered);
    m_entries.push_back({message.destination, message.stream, delivered, m_latest});
}

/// Forgets what was delivered before anything that was not. The room becomes larger while more than
/// half of the entries stay, so that an entry is moved twice, on average, or less.
void
SendOrder::MakeRoom(SimTime now)
{
    const auto isLater = [now](const Entry& entry) { return entry.delivered > now; };
    m_entries.erase(m_entries.begin(), std::find_if(m_entries.begin(), m_entries.end(), isLater));
    if (2 * m_entries.size() >= m_entries.capacity())
    {
        constexpr size_t FIRST = 8;
        m_entries.reserve(std::max(FIRST, 2 * m_entries.capacity()));
    }
}

} // namespace nadi
