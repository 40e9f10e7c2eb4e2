// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/collective-slots.h"

#include "common/check.h"

#include <algorithm>
#include <utility>

namespace nadi
{

CollectiveSlots::CollectiveSlots(uint32_t limit, uint32_t ranks)
    : m_limit(limit)
    , m_used(ranks)
    , m_reserved(ranks)
{
}

void
CollectiveSlots::Add(CollectiveId id, SimTime lastArrival, const Communicator& communicator)
{
    const Place place(lastArrival, id);
    if (!HoldsSlots(communicator))
    {
        m_free.push_back(place);
        return;
    }
    NADI_CHECK(m_waiting.emplace(place, &communicator).second);
}

std::vector<CollectiveId>
CollectiveSlots::Grant()
{
    std::vector<Place> places = std::exchange(m_free, {});
    // Once every rank is used or reserved, no later one can fit: the walk ends there.
    for (auto waiting = m_waiting.begin(); waiting != m_waiting.end() && HasRoom();)
    {
        const Communicator& communicator = *waiting->second;
        const bool fits = Fits(communicator);
        Take(communicator, fits ? m_used : m_reserved);
        if (fits)
        {
            places.push_back(waiting->first);
        }
        waiting = fits ? m_waiting.erase(waiting) : std::next(waiting);
    }
    if (!m_waiting.empty())
    {
        m_hasLimited = true;
        DropReservations();
    }
    std::sort(places.begin(), places.end());
    std::vector<CollectiveId> granted;
    for (const Place& place : places)
    {
        granted.push_back(std::get<CollectiveId>(place));
    }
    return granted;
}

void
CollectiveSlots::Take(const Communicator& communicator, std::vector<uint32_t>& counts)
{
    for (const RankId rank : communicator.ranks)
    {
        ++counts[rank.value];
        m_fullRanks += m_used[rank.value] + m_reserved[rank.value] == m_limit ? 1 : 0;
    }
}

/// Reservations hold during one grant only.
void
CollectiveSlots::DropReservations()
{
    std::fill(m_reserved.begin(), m_reserved.end(), 0U);
    m_fullRanks = static_cast<uint32_t>(std::count(m_used.begin(), m_used.end(), m_limit));
}

bool
CollectiveSlots::Release(const Communicator& communicator, RankId rank)
{
    if (!HoldsSlots(communicator))
    {
        return false;
    }
    NADI_CHECK(m_used[rank.value] > 0);
    m_fullRanks -= m_used[rank.value] == m_limit ? 1 : 0;
    --m_used[rank.value];
    return !m_waiting.empty();
}

bool
CollectiveSlots::Fits(const Communicator& communicator) const
{
    return std::all_of(communicator.ranks.begin(),
                       communicator.ranks.end(),
                       [&](RankId rank)
                       { return m_used[rank.value] + m_reserved[rank.value] < m_limit; });
}

} // namespace nadi
