// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/episode.h"
#include "workload/serving/serving-instances.h"
#include "workload/workload.h"

#include <deque>
#include <memory>
#include <vector>

namespace nadi
{

/// The job of a cluster before anything is served: ranks without nodes, and the communicators that
/// passes call.
struct ServingWorkload
{
    Workload workload;
    std::shared_ptr<const RankNames> names; ///< groups as of PassGroup; peers are ranks
};

/// `ranks`: of the job, those of the instances or more.
ServingWorkload MakeServingWorkload(const std::deque<ServingInstance>& instances, uint32_t ranks);

} // namespace nadi
