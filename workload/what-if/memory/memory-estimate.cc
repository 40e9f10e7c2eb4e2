// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/memory/memory-estimate.h"

#include "workload/what-if/memory/kept-activations.h"
#include "workload/what-if/memory/kept-parameters.h"

#include <iterator>
#include <utility>

namespace nadi
{

uint64_t
MemoryEstimate::Sum() const
{
    uint64_t sum = 0;
    for (const MemoryPart& part : parts)
    {
        sum += part.bytes;
    }
    return sum;
}

MemoryEstimate
EstimateFullestRank(const Workload& job, const JobStructure& structure)
{
    MemoryEstimate fullest;
    for (const RankStructure& rank : structure.ranks)
    {
        // Equal ranks need as much.
        if (rank.rank != rank.sameAs)
        {
            continue;
        }
        MemoryEstimate estimate{.rank = rank.rank,
                                .parts = FindKeptParameters(job, structure, rank)};
        estimate.parts.push_back(FindKeptActivations(job, structure, rank));
        if (fullest.parts.empty() || estimate.Sum() > fullest.Sum())
        {
            fullest = std::move(estimate);
        }
    }
    return fullest;
}

} // namespace nadi
