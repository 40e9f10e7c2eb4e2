// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/workload.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// The ranks of a job that were recorded, as a job of their own: the first of them is its rank 0.
struct RecordedPart
{
    Workload job;
    std::vector<uint32_t> ranks; ///< by rank of `job`: the rank of the whole job
};

/// Moves the graphs of the recorded ranks out of a job; no two ranks share one. Each
/// communicator is one of its recorded members, so that several can be of the same ranks, or of
/// none. Messages to other ranks go to none of the part.
RecordedPart TakeRecordedPart(Workload& whole, std::vector<uint32_t> recorded);

} // namespace nadi
