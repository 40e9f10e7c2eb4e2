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

/// What became of a layer's tokens.
struct RoutedGroup
{
    std::vector<ExpertTraffic> traffic; ///< that each rank sends and computes, by its place
    bool isOffTrace = false;            ///< as RoutedTokens, of some rank
};

/// Tokens that the ranks compute are added to `counts`.
RoutedGroup RouteExpertGroup(const ExpertGroup& group, uint64_t layer, ExpertCounts& counts);

} // namespace nadi
