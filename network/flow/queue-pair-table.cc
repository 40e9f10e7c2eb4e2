// SPDX-License-Identifier: GPL-2.0-only
#include "network/flow/queue-pair-table.h"

#include "common/hash.h"

namespace nadi
{

// A hash table whose chains run through the records. A list of the idle queue pairs, the oldest
// first, runs through the same records. So Find, Add and RemoveOldestIdle take constant time on
// average, and only Add allocates.
namespace
{

uint64_t
HashOf(const QueuePairName& name)
{
    const uint64_t ends = uint64_t{name.source.value} << 32 | name.destination.value;
    return Mix64(ends ^ Mix64(name.stream.value));
}

} // namespace

uint32_t
QueuePairTable::Find(const QueuePairName& name) const
{
    if (m_buckets.empty())
    {
        return NONE;
    }
    uint32_t place = m_buckets[HashOf(name) & (m_buckets.size() - 1)];
    while (place != NONE && m_pairs[place].name != name)
    {
        place = m_pairs[place].nextInBucket;
    }
    return place;
}

void
QueuePairTable::Add(uint32_t place, const QueuePairName& name)
{
    if (m_pairs.size() <= place)
    {
        m_pairs.resize(place + 1);
    }
    // Keeps the average at one queue pair to a bucket or less.
    if (m_buckets.size() <= m_size)
    {
        Rehash();
    }
    FlowQueuePair& added = m_pairs[place];
    added = FlowQueuePair{};
    added.name = name;
    uint32_t& bucket = BucketOf(name);
    added.nextInBucket = bucket;
    bucket = place;
    ++m_size;
}

void
QueuePairTable::SetBusy(uint32_t place)
{
    FlowQueuePair& busy = m_pairs[place];
    (busy.older == NONE ? m_oldestIdle : m_pairs[busy.older].newer) = busy.newer;
    (busy.newer == NONE ? m_newestIdle : m_pairs[busy.newer].older) = busy.older;
    busy.older = NONE;
    busy.newer = NONE;
}

void
QueuePairTable::SetIdle(uint32_t place)
{
    m_pairs[place].older = m_newestIdle;
    (m_newestIdle == NONE ? m_oldestIdle : m_pairs[m_newestIdle].newer) = place;
    m_newestIdle = place;
}

uint32_t
QueuePairTable::RemoveOldestIdle()
{
    const uint32_t place = m_oldestIdle;
    if (place == NONE)
    {
        return NONE;
    }
    // Here this only takes the queue pair out of the list of idle ones.
    SetBusy(place);
    uint32_t* link = &BucketOf(m_pairs[place].name);
    while (*link != place)
    {
        link = &m_pairs[*link].nextInBucket;
    }
    *link = m_pairs[place].nextInBucket;
    --m_size;
    return place;
}

uint32_t&
QueuePairTable::BucketOf(const QueuePairName& name)
{
    return m_buckets[HashOf(name) & (m_buckets.size() - 1)];
}

/// Twice as many buckets.
void
QueuePairTable::Rehash()
{
    std::vector<uint32_t> places;
    for (const uint32_t bucket : m_buckets)
    {
        for (uint32_t place = bucket; place != NONE; place = m_pairs[place].nextInBucket)
        {
            places.push_back(place);
        }
    }
    // The number of buckets is a power of two, so a mask picks one.
    m_buckets.assign(m_buckets.empty() ? 64 : m_buckets.size() * 2, NONE);
    for (const uint32_t place : places)
    {
        uint32_t& bucket = BucketOf(m_pairs[place].name);
        m_pairs[place].nextInBucket = bucket;
        bucket = place;
    }
}

} // namespace nadi
