// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/sharded-sums.h"

#include <algorithm>
#include <numeric>

namespace nadi
{

GroupSizes
SizesOfGroups(const Workload& job, uint32_t rank)
{
    return [&job, rank](uint32_t group)
    {
        const CommunicatorId id = job.communicatorOfGroup[rank][group];
        return uint64_t{job.communicators[id.value].ranks.size()};
    };
}

uint64_t
CountShards(const ExecutionNode& sum, const GroupSizes& sizes)
{
    return sum.collective == CollectiveType::ReduceScatter ? sizes(sum.group) : 1;
}

void
ShardedSums::Add(uint64_t shards, int64_t amount)
{
    m_amounts[shards] += amount;
}

void
ShardedSums::Add(const ShardedSums& other)
{
    for (const auto& [shards, amount] : other.m_amounts)
    {
        Add(shards, amount);
    }
}

int64_t
ShardedSums::All() const
{
    int64_t all = 0;
    for (const auto& [shards, amount] : m_amounts)
    {
        all += amount;
    }
    return all;
}

uint64_t
ShardedSums::CountShare(uint64_t unit) const
{
    uint64_t count = 0;
    // ceil(amount / (unit x shards)), for each number of shards by itself, as each is rounded up.
    for (const auto& [shards, amount] : m_amounts)
    {
        const uint64_t whole = unit * shards;
        // Amounts may be negative on the way, where parameters go. A rank never has less than none.
        count += (static_cast<uint64_t>(std::max<int64_t>(0, amount)) + whole - 1) / whole;
    }
    return count;
}

uint64_t
ShardedSums::CommonShards() const
{
    // With the least common multiple as the denominator all shards are whole numbers, so shares are
    // compared exactly.
    uint64_t common = 1;
    for (const auto& [shards, amount] : m_amounts)
    {
        common = std::lcm(common, shards);
    }
    return common;
}

uint64_t
ShardedSums::Share(uint64_t common) const
{
    uint64_t share = 0;
    for (const auto& [shards, amount] : m_amounts)
    {
        share += static_cast<uint64_t>(std::max<int64_t>(0, amount)) * (common / shards);
    }
    return share;
}

} // namespace nadi
