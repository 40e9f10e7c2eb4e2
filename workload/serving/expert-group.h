// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/models/forward-pass.h"
#include "workload/serving/expert-counts.h"
#include "workload/serving/expert-routing.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// The ranks that share the experts of a stage.
struct ExpertGroup
{
    const ExpertRouter& router;
    const ForwardModel& model;
    uint64_t iteration = 0;       ///< of the instance
    std::vector<RankId> ranks;    ///< as many as `model.expert`
    std::vector<uint64_t> tokens; ///< that each of them routes
};

/// What each rank of the group sends and computes in a layer, by its place in the group. Tokens
/// that the ranks compute are added to `counts`.
std::vector<ExpertTraffic>
RouteExpertGroup(const ExpertGroup& group, uint64_t layer, ExpertCounts& counts);

} // namespace nadi
