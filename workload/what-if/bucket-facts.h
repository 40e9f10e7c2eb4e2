// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/what-if/bucket-finder.h"
#include "workload/what-if/recorded-stage.h"
#include "workload/workload.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace nadi
{

/// Whether gradients of one layer are in two of them.
bool ShareUnits(const std::vector<Bucket>& buckets);

/// Also where nobody sums their gradients: those count before a bucket is full.
bool HasExperts(const JobStructure& structure);

/// The last task of a pass, or of all passes where none is given.
uint32_t LastOfPasses(const RecordedStage& stage, std::optional<size_t> pass);

/// Whether the sum `at` is the last one of a micro-batch, and others follow. Gradients of different
/// micro-batches never share a bucket.
bool EndsMicroBatch(const RecordedStage& stage, const std::vector<Bucket>& sums, size_t at);

/// Calls with the first rank of each graph.
template <typename Visit>
void
VisitGraphs(const Workload& job, const JobStructure& structure, const Visit& visit)
{
    std::set<uint32_t> done;
    for (const RankStructure& rank : structure.ranks)
    {
        const uint32_t graph = job.graphOfRank[rank.rank];
        if (done.insert(graph).second)
        {
            visit(graph, rank);
        }
    }
}

} // namespace nadi
