// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/workload.h"

#include <cstdint>
#include <functional>
#include <map>

namespace nadi
{

/// By group of a graph: how many ranks it has.
using GroupSizes = std::function<uint64_t(uint32_t group)>;

/// Of the groups that a rank names. The job outlives the result.
GroupSizes SizesOfGroups(const Workload& job, uint32_t rank);

/// How many ranks have a shard each of what a collective sums; 1: all of them have all of it.
uint64_t CountShards(const ExecutionNode& sum, const GroupSizes& sizes);

/// What stands for parameters, such as the bytes of their gradients, by how many ranks have a shard
/// of them each. Experts have fewer copies than all else, so a rank has larger shards of them.
class ShardedSums
{
  public:
    /// `amount` may be negative: parameters that go.
    void Add(uint64_t shards, int64_t amount);
    void Add(const ShardedSums& other);

    /// As if each rank had all of it.
    int64_t All() const;

    /// What one rank has, in units of so much, each shard rounded up to whole ones.
    uint64_t CountShare(uint64_t unit) const;

    /// The ranks of which each shard is a whole number of parts.
    uint64_t CommonShards() const;

    /// What one rank has, in parts of 1 / `common`. Requires: a multiple of CommonShards.
    uint64_t Share(uint64_t common) const;

  private:
    std::map<uint64_t, int64_t> m_amounts;
};

} // namespace nadi
