// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/collective-slots.h"

#include "common/check.h"

#include <algorithm>

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
    NADI_CHECK(m_waiting.emplace(Place(lastArrival, id), &communicator).second);
}

std::vector<CollectiveId>
CollectiveSlots::Grant()
{
    std::vector<CollectiveId> granted;
    for (auto waiting = m_waiting.begin(); waiting != m_waiting.end();)
    {
        const Communicator& communicator = *waiting->second;
        const bool fits = Fits(communicator);
        if (HoldsSlots(communicator))
        {
            std::vector<uint32_t>& counts = fits ? m_used : m_reserved;
            for (const RankId rank : communicator.ranks)
            {
                ++counts[rank.value];
            }
        }
        if (fits)
        {
            granted.push_back(std::get<CollectiveId>(waiting->first));
        }
        waiting = fits ? m_waiting.erase(waiting) : std::next(waiting);
    }
    if (!m_waiting.empty())
    {
        std::fill(m_reserved.begin(), m_reserved.end(), 0U);
    }
    return granted;
}

bool
CollectiveSlots::Release(const Communicator& communicator, RankId rank)
{
    if (!HoldsSlots(communicator))
    {
        return false;
    }
    NADI_CHECK(m_used[rank.value] > 0);
    --m_used[rank.value];
    return !m_waiting.empty();
}

bool
CollectiveSlots::Fits(const Communicator& communicator) const
{
    return !HoldsSlots(communicator) ||
           std::all_of(communicator.ranks.begin(),
                       communicator.ranks.end(),
                       [&](RankId rank)
                       { return m_used[rank.value] + m_reserved[rank.value] < m_limit; });
}

} // namespace nadi
