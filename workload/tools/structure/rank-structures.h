// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/tools/structure/rank-analysis.h"
#include "workload/tools/structure/task-order.h"
#include "workload/workload.h"

#include <string>
#include <vector>

namespace nadi
{

/// The structures of all ranks, each as RankAnalysis finds it, but for what other ranks know
/// better.
struct FoundRanks
{
    std::vector<RankStructure> ranks;
    std::vector<std::string> notes; ///< a sentence each
    double leftOut = 0; ///< the largest share of kernels in layers that were too few to be some
};

/// Ranks that share a graph are analysed once. Stages of one layer repeat nothing but passes; the
/// layers that other ranks repeat are theirs, too. Layers by repetition that hold too few of the
/// kernels, and such as only go backward, are none.
///
/// `orders`: by graph; those that are missing are unknown. Throws ConfigError as RankAnalysis does.
FoundRanks FindRankStructures(const Workload& workload,
                              const std::vector<RecordedOrder>& orders,
                              const StructureHints& hints);

/// Whether the tasks of a rank are operators of the host, for want of others.
bool IsOfHost(const Workload& workload, const RankStructure& rank);

} // namespace nadi
