// SPDX-License-Identifier: GPL-2.0-only
#include "workload/engine/rank-progress.h"

#include <algorithm>

namespace nadi
{

bool
RankProgress::UnblockMany(uint32_t node)
{
    const auto left = m_many.find(node);
    // From here on the count fits the byte.
    if (--left->second < MANY)
    {
        m_states[node] = static_cast<uint8_t>(left->second);
        m_many.erase(left);
    }
    return false; // at least MANY - 1 are left
}

std::optional<uint32_t>
RankProgress::FindFirstUnfinished() const
{
    const auto found =
        std::find_if(m_states.begin(), m_states.end(), [](uint8_t state) { return state != DONE; });
    if (found == m_states.end())
    {
        return std::nullopt;
    }
    return static_cast<uint32_t>(found - m_states.begin());
}

} // namespace nadi
