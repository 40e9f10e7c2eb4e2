// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/place-counts.h"

#include "common/check.h"

#include <algorithm>

namespace nadi
{

/// Capacity 0 needs no case of its own: where places are not limited, `uses` is empty
/// (PlaceTable::FindUses).
bool
PlaceCounts::Fit(const std::vector<PlaceUse>& uses) const
{
    return std::all_of(uses.begin(),
                       uses.end(),
                       [this](const PlaceUse& use)
                       {
                           // The table grows with use, so a place that was never used is not in it.
                           const bool isKnown = use.place < m_places.size();
                           const Place place = isKnown ? m_places[use.place] : Place{};
                           return place.used + place.reserved + use.trees <= m_capacity;
                       });
}

void
PlaceCounts::Take(const std::vector<PlaceUse>& uses)
{
    for (const PlaceUse& use : uses)
    {
        At(use.place).used += use.trees;
    }
}

void
PlaceCounts::Reserve(const std::vector<PlaceUse>& uses)
{
    for (const PlaceUse& use : uses)
    {
        At(use.place).reserved += use.trees;
    }
}

void
PlaceCounts::DropReservations()
{
    for (Place& place : m_places)
    {
        place.reserved = 0;
    }
}

void
PlaceCounts::Release(const std::vector<PlaceUse>& uses)
{
    for (const PlaceUse& use : uses)
    {
        NADI_CHECK(At(use.place).used >= use.trees);
        At(use.place).used -= use.trees;
    }
}

PlaceCounts::Place&
PlaceCounts::At(uint32_t place)
{
    if (place >= m_places.size())
    {
        m_places.resize(place + 1);
    }
    return m_places[place];
}

} // namespace nadi
