// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/library/msccl-file/msccl-algorithm.h"

#include <string>
#include <vector>

namespace nadi
{

/// What of the algorithm MSCCL's runtime could not run, though it is well defined: a sentence for
/// each limit that is passed (256 steps of a thread block, 216 thread blocks of a GPU, 32 of them
/// on a channel, 71 chunks of a step).
std::vector<std::string> FindPassedLimits(const MscclAlgorithm& algorithm);

} // namespace nadi
