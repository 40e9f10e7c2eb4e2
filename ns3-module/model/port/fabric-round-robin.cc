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
    // Asked in any case, because TakeRepaced also clears the note: a change from before the queue
    // pair took part concerns nothing that was promised.
    const bool isRepaced = queuePair.TakeRepaced();
    if (isActive == queuePair.HasFrame())
    {
        return isActive && (isRepaced || !queuePair.FormsTrains()) && EndTrains(queuePair);
    }
    if (isActive)
    {
        RemoveAt(static_cast<std::size_t>(place - m_active.begin()));
        return true;
    }
    m_active.insert(place, &queuePair);
    m_fullEnd = 0;
    m_isPaced = m_isPaced || queuePair.IsPaced();
    // It joined before the place of the next one: that place moves on by one.
    if (m_hasServed && !(m_lastServed < queuePair.GetTurn()))
    {
        ++m_next;
    }
    return true;
}

/// A queue pair that takes part forms no trains, or others than before, perhaps since just now.
bool
FabricRoundRobin::EndTrains(const FabricQueuePair& queuePair)
{
    m_isPaced = m_isPaced || queuePair.IsPaced();
    m_fullEnd = 0;
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
    ++m_served;
    // Paced queue pairs that may not start yet are passed over and lose their turn; they do not
    // save it up.
    m_next = turn + 1;
    if (!queuePair.HasFrame())
    {
        RemoveAt(turn);
    }
    if (!m_active.empty())
    {
        m_active[m_next < m_active.size() ? m_next : 0]->Fetch(); // it has the next turn
    }
    return frame;
}

void
FabricRoundRobin::TakeTrain(uint64_t count, int64_t lastStart)
{
    m_active.front()->TakeTrain(count, lastStart);
    m_lastServed = m_active.front()->GetTurn();
    m_hasServed = true;
    m_served += count;
    m_next = 1;
}

std::size_t
FabricRoundRobin::FindTurnOf(const FabricQueuePair& queuePair) const
{
    const auto place = FindPlace(queuePair);
    if (place == m_active.end() || *place != &queuePair)
    {
        return m_active.size();
    }
    const auto index = static_cast<std::size_t>(place - m_active.begin());
    const std::size_t next = m_next < m_active.size() ? m_next : 0;
    return index >= next ? index - next : index + m_active.size() - next;
}

uint64_t
FabricRoundRobin::CountFullSlots()
{
    // A slot that lies ahead keeps its number while frames start in turn, as no message ends
    // before it.
    // 0 means "not known" even while no slot has been served yet.
    if (m_fullEnd < m_served || m_fullEnd == 0)
    {
        m_fullEnd = m_served + WalkFullSlots();
    }
    return m_fullEnd - m_served;
}

/// A queue pair of n full frames at turn k ends its message in slot k + n x size. So a queue pair
/// behind the first end that was found cannot have an earlier one, and the walk may stop. Three
/// queue pairs with 5, 2 and 9 full frames: the ends are in slots 15, 1 + 2 x 3 = 7 and 29.
uint64_t
FabricRoundRobin::WalkFullSlots()
{
    const std::size_t size = m_active.size();
    uint64_t slots = std::numeric_limits<uint64_t>::max() - m_served;
    for (std::size_t turn = 0; turn < size && turn < slots; ++turn)
    {
        const FabricQueuePair& queuePair = Get(turn);
        const uint64_t full = queuePair.FormsTrains() ? queuePair.CountBeforeAnswered() : 0;
        slots = std::min(slots, turn + full * size);
        ++m_steps;
    }
    return slots;
}

/// Where the queue pair stands, or else where it belongs: m_active is sorted by turns.
std::vector<FabricQueuePair*>::const_iterator
FabricRoundRobin::FindPlace(const FabricQueuePair& queuePair) const
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

/// Whose turn it is at `start`, as a place in m_active. Requires: FindStart(start) == start.
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
    m_fullEnd = 0;
    // Those behind the place that is removed move up, and m_next with them.
    m_next -= index < m_next;
}

} // namespace ns3
