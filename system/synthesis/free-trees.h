// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "system/synthesis/group-routes.h"
#include "system/synthesis/message-times.h"
#include "system/synthesis/route-model.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi::synthesis
{

/// A tree of ranks, over pairs of opposite ways.
struct FreeTree
{
    uint32_t root = 0;
    /// From the root to the leaves: a way that leads away from the root after the one that leads to
    /// its begin.
    std::vector<uint32_t> ways;
};

/// Trees for an all-reduce in which sums go up and results come down at the same time.
///
/// A message up each edge and one down load both directions once, wherever the root is. So trees
/// without directions are packed: each new one takes the edges that are loaded least (Thorup,
/// "Fully-dynamic min-cut", 2007: greedy tree packings approach the best one), of equally loaded
/// ones those near the middle. Its root is its own centre.
class FreeTrees
{
  public:
    /// Nothing if a way has no opposite one. Requires: the model outlives it.
    static std::optional<FreeTrees> Find(const RouteModel& model);

    /// `count` trees for messages of these times. `centre` is where they begin to grow.
    std::vector<FreeTree> Pack(const MessageTimes& times, uint32_t count, uint32_t centre);

    /// How long the busiest link is busy with a message up and one down on each edge of the trees
    /// that were packed last.
    SimTime MostLoad() const;

    uint32_t OppositeOf(uint32_t way) const
    {
        return m_opposites[way];
    }

  private:
    explicit FreeTrees(const RouteModel& model)
        : m_model(&model)
    {
    }

    std::vector<uint32_t> Grow(uint32_t begin) const;
    FreeTree Hang(const std::vector<uint32_t>& edges) const;
    std::vector<uint32_t> FindFarthest(const std::vector<std::vector<uint32_t>>& edgesOf,
                                       uint32_t from) const;
    void Load(const MessageTimes& times, const std::vector<uint32_t>& edges);
    int64_t LoadOf(uint32_t way) const;

    const RouteModel* m_model;
    std::vector<uint32_t> m_opposites; // by way
    std::vector<int64_t> m_loads;      // by link: picoseconds
    int64_t m_grain = 1;               // loads that differ by less count as equal
};

/// An all-reduce of `count` chunks of `size` over such trees, chunk after chunk: links serve
/// earlier chunks first. Requires: the trees are those of the routes' forward model.
Attempt ReduceOverTrees(
    const GroupRoutes& routes, FreeTrees trees, uint32_t count, Bytes size, uint32_t centre);

} // namespace nadi::synthesis
