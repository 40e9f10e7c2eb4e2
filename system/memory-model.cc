// SPDX-License-Identifier: GPL-2.0-only
#include "system/memory-model.h"

#include "common/check.h"

#include <algorithm>

namespace nadi
{

MemoryModel::MemoryModel(const MemoryOptions& options, uint32_t ranks)
    : m_options(options)
{
    NADI_CHECK(ranks > 0);
    NADI_CHECK(options.ranksPerNode > 0);
    m_poolFreeAt.resize(PoolOf(RankId{ranks - 1}) + 1);
}

SimTime
MemoryModel::Reserve(SimTime now, RankId rank, Bytes size, bool isRemote)
{
    if (!isRemote)
    {
        return now + m_options.local.latency + size / m_options.local.bandwidth;
    }
    // Only the transfer holds the memory. The latency comes after it, so it overlaps the next
    // transfer.
    SimTime& freeAt = m_poolFreeAt[PoolOf(rank)];
    freeAt = std::max(now, freeAt) + size / m_options.remote.bandwidth;
    return freeAt + m_options.remote.latency;
}

uint32_t
MemoryModel::PoolOf(RankId rank) const
{
    switch (m_options.sharing)
    {
    case MemoryOptions::Sharing::PerNpu:
        return rank.value;
    case MemoryOptions::Sharing::Node:
        return rank.value / m_options.ranksPerNode;
    case MemoryOptions::Sharing::All:
        return 0;
    }
    NADI_CHECK(false);
}

} // namespace nadi
