// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-round-robin.h"

#include <algorithm>

namespace ns3
{

void
FabricRoundRobin::Activate(FabricQueuePair& queuePair)
{
    const auto isBefore = [](const FabricQueuePair* a, const FabricQueuePairKey& key)
    { return a->GetKey() < key; };
    const auto place =
        std::lower_bound(m_active.begin(), m_active.end(), queuePair.GetKey(), isBefore);
    if (place != m_active.end() && *place == &queuePair)
    {
        return;
    }
    m_active.insert(place, &queuePair);
    if (m_hasServed && !(m_lastServed < queuePair.GetKey()))
    {
        ++m_next;
    }
}

FabricFrame
FabricRoundRobin::Take()
{
    const std::size_t turn = FindNext();
    FabricQueuePair& queuePair = *m_active[turn];
    const FabricFrame frame = queuePair.TakeFrame();
    m_lastServed = queuePair.GetKey();
    m_hasServed = true;
    m_next = turn + 1;
    if (!queuePair.HasFrame())
    {
        m_active.erase(m_active.begin() + static_cast<std::ptrdiff_t>(turn));
        m_next = turn;
    }
    return frame;
}

} // namespace ns3
