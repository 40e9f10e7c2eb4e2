// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/collective-slots.h"

#include "common/check.h"

#include <algorithm>
#include <utility>

namespace nadi
{

CollectiveSlots::CollectiveSlots(uint32_t limit, uint32_t ranks, PlaceRules rules)
    : m_limit(limit)
    , m_used(ranks)
    , m_reserved(ranks)
    , m_arePlacesOptional(rules.areOptional)
    , m_places(rules.capacity)
{
}

void
CollectiveSlots::Add(CollectiveId id,
                     SimTime lastArrival,
                     const Communicator& communicator,
                     std::vector<PlaceUse> places)
{
    const Turn turn(lastArrival, id);
    if (!HoldsSlots(communicator) && places.empty())
    {
        // The collective needs nothing, and yet begins with the next grant. So it takes its place
        // in the order of all collectives that begin at that instant.
        m_free.push_back(turn);
        return;
    }
    NADI_CHECK(m_waiting.emplace(turn, Demand{&communicator, std::move(places)}).second);
}

std::vector<CollectiveSlots::Granted>
CollectiveSlots::Grant()
{
    m_granted.clear();
    for (const Turn& turn : std::exchange(m_free, {}))
    {
        m_granted.emplace(turn, true);
    }
    // Once every rank is used or reserved, no later one can fit: the walk ends there.
    for (auto waiting = m_waiting.begin(); waiting != m_waiting.end() && HasRoom();)
    {
        const bool isGranted = GrantOne(waiting->first, waiting->second);
        waiting = isGranted ? m_waiting.erase(waiting) : std::next(waiting);
    }
    if (!m_waiting.empty())
    {
        m_hasLimited |= !HasRoom();
        DropReservations();
    }
    std::vector<Granted> granted;
    for (const auto& [turn, hasPlaces] : m_granted)
    {
        granted.push_back({std::get<CollectiveId>(turn), hasPlaces});
    }
    return granted;
}

/// Takes what the collective asks for, or reserves it. \return Whether it may run.
bool
CollectiveSlots::GrantOne(const Turn& turn, const Demand& demand)
{
    const bool hasPlaces = m_places.Fit(demand.places);
    const bool hasSlots = Fits(*demand.communicator);
    const bool mayRun = hasSlots && (hasPlaces || m_arePlacesOptional);
    m_hasLimited |= !hasSlots;
    // A collective that waits reserves all that it needs, also what is free now: no collective that
    // came later must take that.
    Take(*demand.communicator, mayRun ? m_used : m_reserved);
    if (!mayRun)
    {
        m_places.Reserve(demand.places);
        return false;
    }
    if (hasPlaces)
    {
        m_places.Take(demand.places);
    }
    m_granted.emplace(turn, hasPlaces);
    return true;
}

void
CollectiveSlots::Take(const Communicator& communicator, std::vector<uint32_t>& counts)
{
    if (!HoldsSlots(communicator))
    {
        return;
    }
    for (const RankId rank : communicator.ranks)
    {
        // A rank counts as full once, when the sum reaches the limit. Further reservations may take
        // the sum past the limit; granted slots never do.
        ++counts[rank.value];
        m_fullRanks += m_used[rank.value] + m_reserved[rank.value] == m_limit ? 1 : 0;
    }
}

/// Reservations hold during one grant only.
void
CollectiveSlots::DropReservations()
{
    std::fill(m_reserved.begin(), m_reserved.end(), 0U);
    // m_fullRanks does not tell reserved slots from used ones, so the full ranks are counted again.
    m_fullRanks =
        m_limit > 0 ? static_cast<uint32_t>(std::count(m_used.begin(), m_used.end(), m_limit)) : 0;
    m_places.DropReservations();
}

bool
CollectiveSlots::Release(const Communicator& communicator, RankId rank)
{
    if (!HoldsSlots(communicator))
    {
        return false;
    }
    NADI_CHECK(m_used[rank.value] > 0);
    // No reservations exist between grants: a rank is full exactly if all its slots are in use.
    m_fullRanks -= m_used[rank.value] == m_limit ? 1 : 0;
    --m_used[rank.value];
    return !m_waiting.empty();
}

bool
CollectiveSlots::ReleasePlaces(const std::vector<PlaceUse>& places)
{
    m_places.Release(places);
    return !places.empty() && !m_waiting.empty();
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
