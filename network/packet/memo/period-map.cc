// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/memo/period-map.h"

#include <utility>

namespace nadi
{

PeriodMap::PeriodMap(const PeriodLabels& labels, uint32_t resources)
    : m_labels(labels)
    , m_ownerOf(resources, NONE)
{
}

uint32_t
PeriodMap::Find(uint32_t period)
{
    uint32_t root = period;
    while (m_periods[root].root != NONE)
    {
        root = m_periods[root].root;
    }
    // The second walk makes every period on the way point to the root, so that later searches are
    // short (union-find with path compression).
    while (m_periods[period].root != NONE)
    {
        period = std::exchange(m_periods[period].root, root);
    }
    return root;
}

uint32_t
PeriodMap::Join(const std::vector<uint32_t>& resources, int64_t now)
{
    uint32_t joined = NONE;
    for (const uint32_t resource : resources)
    {
        const uint32_t owner = FindOwner(resource);
        if (owner != NONE && owner != joined)
        {
            joined = joined == NONE ? owner : Unite(joined, owner);
        }
    }
    if (joined == NONE)
    {
        joined = Make(now);
    }
    for (const uint32_t resource : resources)
    {
        if (m_ownerOf[resource] == NONE)
        {
            m_ownerOf[resource] = joined;
            m_periods[joined].resources.push_back(resource);
        }
    }
    return joined;
}

/// \return The root of the union. Requires: two different roots.
uint32_t
PeriodMap::Unite(uint32_t first, uint32_t second)
{
    // A new period has no history, so it simply joins the other one. The root is the period that
    // has a history, if either has.
    const bool isSecondRoot = m_periods[first].state == Period::State::New;
    const uint32_t root = isSecondRoot ? second : first;
    const uint32_t other = isSecondRoot ? first : second;
    Period& to = m_periods[root];
    Period& from = m_periods[other];
    from.root = root;
    to.united.push_back(other);
    to.united.insert(to.united.end(), from.united.begin(), from.united.end());
    from.united.clear();
    to.fresh.insert(to.fresh.end(), from.fresh.begin(), from.fresh.end());
    from.fresh.clear();
    if (from.state == Period::State::New)
    {
        to.resources.insert(to.resources.end(), from.resources.begin(), from.resources.end());
        from.resources.clear();
        return root;
    }
    // Both have a history; PeriodMemo::Merge puts them together at the end of the instant. Until
    // then each keeps its own resources, since counters were kept for a first part of the list
    // (Period::counted).
    to.merging.push_back(other);
    to.merging.insert(to.merging.end(), from.merging.begin(), from.merging.end());
    from.merging.clear();
    return root;
}

uint32_t
PeriodMap::Make(int64_t begin)
{
    const uint32_t index = m_periods.Make(Period(m_labels));
    Period& period = m_periods[index];
    period.begin = begin;
    period.identity = ++m_made;
    return index;
}

void
PeriodMap::Free(uint32_t index)
{
    for (const uint32_t resource : m_periods[index].resources)
    {
        m_ownerOf[resource] = NONE;
    }
    // The indices of united periods are used again only now, since messages that entered them name
    // their period by these indices (Find).
    std::vector<uint32_t> united = std::move(m_periods[index].united);
    united.push_back(index);
    for (const uint32_t freed : united)
    {
        m_periods[freed] = Period(m_labels);
        m_periods[freed].state = Period::State::Free;
        m_periods.Free(freed);
    }
}

} // namespace nadi
