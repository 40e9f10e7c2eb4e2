// SPDX-License-Identifier: GPL-2.0-only
#include "workload/engine/wait-cycle.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>

namespace nadi
{

namespace
{

constexpr uint32_t NO_PARENT = std::numeric_limits<uint32_t>::max();

// The way from `first` back to itself that `parents` records, ending at `last`.
std::vector<RankId>
TraceBack(const std::vector<uint32_t>& parents, uint32_t first, uint32_t last)
{
    std::vector<RankId> cycle;
    for (uint32_t rank = last; rank != first; rank = parents[rank])
    {
        cycle.push_back(RankId{rank});
    }
    cycle.push_back(RankId{first});
    std::reverse(cycle.begin(), cycle.end());
    return cycle;
}

// A shortest cycle through `first`, by breadth-first search.
std::vector<RankId>
FindCycleThrough(const WaitForGraph& waitsFor, uint32_t first)
{
    std::vector<uint32_t> parents(waitsFor.size(), NO_PARENT);
    std::deque<uint32_t> frontier{first};
    while (!frontier.empty())
    {
        const uint32_t rank = frontier.front();
        frontier.pop_front();
        for (const RankId next : waitsFor[rank])
        {
            if (next.value == first)
            {
                return TraceBack(parents, first, rank);
            }
            if (parents[next.value] == NO_PARENT)
            {
                parents[next.value] = rank;
                frontier.push_back(next.value);
            }
        }
    }
    return {};
}

} // namespace

// A shortest cycle through each rank in turn, and the shortest of these. A later one has to be
// strictly shorter to replace it, so the cycle that is kept begins at its smallest rank: from that
// rank the same cycle would have been found before.
std::vector<RankId>
FindShortestCycle(const WaitForGraph& waitsFor)
{
    std::vector<RankId> shortest;
    for (uint32_t first = 0; first < waitsFor.size(); ++first)
    {
        std::vector<RankId> cycle = FindCycleThrough(waitsFor, first);
        if (!cycle.empty() && (shortest.empty() || cycle.size() < shortest.size()))
        {
            shortest = std::move(cycle);
        }
        // A rank that waits for itself: nothing is shorter.
        if (shortest.size() == 1)
        {
            break;
        }
    }
    return shortest;
}

} // namespace nadi
