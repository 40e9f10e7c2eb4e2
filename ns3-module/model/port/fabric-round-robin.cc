// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-round-robin.h"

#include <algorithm>

namespace ns3
{

bool
FabricRoundRobin::Update(FabricQueuePair& queuePair)
{
    const auto place = FindPlace(queuePair);
    const bool isActive = place != m_active.end() && *place == &queuePair;
    if (isActive == queuePair.HasFrame())
    {
        return false;
    }
    if (isActive)
    {
        RemoveAt(static_cast<std::size_t>(place - m_active.begin()));
        return true;
    }
    m_active.insert(place, &queuePair);
    m_isPaced = m_isPaced || queuePair.IsPaced();
    // It joined before the place of the next one: that place moves on by one.
    if (m_hasServed && !(m_lastServed < queuePair.GetTurn()))
    {
        ++m_next;
    }
    return true;
}

void
FabricRoundRobin::Remove(const FabricQueuePair& queuePair)
{
    const auto place = FindPlace(queuePair);
    if (place != m_active.end() && *place == &queuePair)
    {
        RemoveAt(static_cast<std::size_t>(place - m_active.begin()));
    }
}

FabricFrame
FabricRoundRobin::Take(int64_t start)
{
    const std::size_t turn = FindTurn(start);
    FabricQueuePair& queuePair = *m_active[turn];
    const FabricFrame frame = queuePair.TakeFrame(start);
    m_lastServed = queuePair.GetTurn();
    m_hasServed = true;
    // Paced queue pairs that may not start yet are passed over and lose their turn; they do not
    // save it up.
    m_next = turn + 1;
    if (!queuePair.HasFrame())
    {
        RemoveAt(turn);
    }
    return frame;
}

void
FabricRoundRobin::TakeTrain(uint64_t count)
{
    m_active.front()->TakeTrain(count);
    m_lastServed = m_active.front()->GetTurn();
    m_hasServed = true;
    m_next = 1;
}

std::vector<FabricQueuePair*>::iterator
FabricRoundRobin::FindPlace(const FabricQueuePair& queuePair)
{
    const auto isBefore = [](const FabricQueuePair* a, const FabricQueuePairKey& turn)
    { return a->GetTurn() < turn; };
    return std::lower_bound(m_active.begin(), m_active.end(), queuePair.GetTurn(), isBefore);
}

int64_t
FabricRoundRobin::FindPacedStart(int64_t from) const
{
    int64_t earliest = NEVER;
    for (const FabricQueuePair* queuePair : m_active)
    {
        earliest = std::min(earliest, queuePair->GetEligible());
        if (earliest <= from)
        {
            return from;
        }
    }
    return earliest;
}

std::size_t
FabricRoundRobin::FindTurn(int64_t start) const
{
    const std::size_t first = m_next < m_active.size() ? m_next : 0;
    if (!m_isPaced)
    {
        return first;
    }
    std::size_t turn = first;
    // Ends, because FindStart(start) == start says that one of them may start.
    while (m_active[turn]->GetEligible() > start)
    {
        turn = turn + 1 < m_active.size() ? turn + 1 : 0;
    }
    return turn;
}

void
FabricRoundRobin::RemoveAt(std::size_t index)
{
    m_active.erase(m_active.begin() + static_cast<std::ptrdiff_t>(index));
    // Those behind the place that is removed move up, and m_next with them.
    m_next -= index < m_next;
}

} // namespace ns3
