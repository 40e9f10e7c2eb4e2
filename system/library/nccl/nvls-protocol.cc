// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/nvls-protocol.h"

#include <algorithm>

namespace nadi::nccl
{

SimTime
NvlsPorts::FindFree(const CommunicatorLayout& members) const
{
    SimTime free;
    for (uint32_t member = 0; member < members.Size(); ++member)
    {
        const auto port = m_freeAt.find(VertexOf(members.RankOf(member)));
        free = port == m_freeAt.end() ? free : std::max(free, port->second);
    }
    return free;
}

SimTime
NvlsPorts::Take(const LocalTask& task, SimTime busy)
{
    const CommunicatorLayout& members = *task.layout;
    Turn& turn = m_turns[task.stream];
    if (turn.asked == 0)
    {
        turn.begin = std::max(task.begin, FindFree(members));
        for (uint32_t member = 0; member < members.Size(); ++member)
        {
            m_freeAt[VertexOf(members.RankOf(member))] = turn.begin + busy;
        }
    }
    const SimTime begin = turn.begin;
    if (++turn.asked == members.Size())
    {
        m_turns.erase(task.stream);
    }
    return begin;
}

} // namespace nadi::nccl
