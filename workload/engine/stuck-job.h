// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-engine.h"
#include "system/point-to-point.h"
#include "system/remote-memory/remote-memory.h"
#include "workload/engine/job-plan.h"
#include "workload/engine/rank-part.h"
#include "workload/wait-report.h"
#include "workload/workload.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi
{

/// A job in which nothing happens any more, though nodes are left: what the wait-for report is
/// made from.
struct StuckJob
{
    const Workload& workload;
    const JobPlan& plan;
    bool hasEpisodes = false; ///< other graphs than the workload's ran too
    StuckBy by = StuckBy::Silence;
    std::vector<uint64_t> nodesLeft{}; ///< by rank
    /// By rank: the first node of the trace that is not done; none where none is left.
    std::vector<std::optional<UnfinishedNode>> firstUnfinished{};
    std::vector<PendingCollective> collectives{};
    std::vector<PendingPointToPoint> pointToPoint{};
    std::vector<PendingMemoryAccess> memory{};
};

} // namespace nadi
