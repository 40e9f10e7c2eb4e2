// SPDX-License-Identifier: GPL-2.0-only
#include "workload/engine/start-times.h"

#include "common/check.h"

#include <utility>

namespace nadi
{

namespace
{

constexpr size_t FIRST_PLACES = 4;

} // namespace

void
StartTimes::Add(uint32_t node, SimTime start)
{
    if (2 * (m_count + 1) > m_places.size())
    {
        Grow();
    }
    m_places[FindPlace(node)] = {start, node};
    ++m_count;
}

SimTime
StartTimes::Take(uint32_t node)
{
    NADI_CHECK(Contains(node));
    size_t hole = FindPlace(node);
    const SimTime start = m_places[hole].start;
    for (size_t place = Next(hole); m_places[place].node != NONE; place = Next(place))
    {
        // A search ends at the first free place, so a node whose search, from its home on, comes
        // past the hole must not stay behind it: it fills the hole, and leaves another one.
        const size_t mask = m_places.size() - 1;
        const size_t home = HomeOf(m_places[place].node);
        if (((place - home) & mask) >= ((place - hole) & mask))
        {
            m_places[hole] = m_places[place];
            hole = place;
        }
    }
    m_places[hole] = {};
    --m_count;
    return start;
}

/// Of the node, or the free one where it would be.
size_t
StartTimes::FindPlace(uint32_t node) const
{
    size_t place = HomeOf(node);
    while (m_places[place].node != node && m_places[place].node != NONE)
    {
        place = Next(place);
    }
    return place;
}

void
StartTimes::Grow()
{
    // Homes depend on the number of places, so each node is put in anew.
    std::vector<Place> before(m_places.empty() ? FIRST_PLACES : 2 * m_places.size());
    std::swap(before, m_places);
    for (const Place& place : before)
    {
        if (place.node != NONE)
        {
            m_places[FindPlace(place.node)] = place;
        }
    }
}

} // namespace nadi
