// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/rank-blocks.h"

#include "common/check.h"

namespace nadi
{

uint32_t
RankBlocks::SizeOf(const std::string& group) const
{
    if (group.empty())
    {
        return m_ranks;
    }
    return group == INNER ? m_size : m_ranks / m_size;
}

std::vector<uint32_t>
RankBlocks::GroupOf(uint32_t rank, const std::string& group) const
{
    NADI_CHECK(group == INNER || group == OUTER);
    const bool isInner = group == INNER;
    // Ranks are a table with rows of m_size: INNER groups are its rows, OUTER groups its columns.
    const uint32_t first = isInner ? rank - rank % m_size : rank % m_size;
    const uint32_t step = isInner ? 1 : m_size;
    std::vector<uint32_t> ranks;
    for (uint32_t i = 0; i < SizeOf(group); ++i)
    {
        ranks.push_back(first + i * step);
    }
    return ranks;
}

} // namespace nadi
