// SPDX-License-Identifier: GPL-2.0-only
#include "system/memory-model.h"

#include "common/check.h"

#include <algorithm>
#include <utility>

namespace nadi
{

MemoryModel::MemoryModel(const MemoryOptions& options, uint32_t ranks, RankPlacement placement)
    : m_options(options)
    , m_placement(std::move(placement))
{
    NADI_CHECK(ranks > 0);
    NADI_CHECK(options.ranksPerNode > 0);
    // Pools of nodes are numbered by places, and the places of ranks may have gaps. So every rank
    // is asked for its pool.
    for (RankId rank{0}; rank.value < ranks; ++rank.value)
    {
        m_poolFreeAt.resize(std::max<size_t>(m_poolFreeAt.size(), PoolOf(rank) + 1));
    }
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
        return m_placement.PlaceOf(rank) / m_options.ranksPerNode;
    case MemoryOptions::Sharing::All:
        return 0;
    }
    NADI_CHECK(false);
}

} // namespace nadi
