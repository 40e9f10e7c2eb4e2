// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/task-signature.h"

#include <cstddef>
#include <vector>

namespace nadi
{

/// A part of a sequence in which each element equals the one `period` later, at least twice over.
struct RepeatedRun
{
    size_t begin = 0;
    size_t length = 0;
    size_t period = 1;

    size_t End() const
    {
        return begin + length;
    }

    size_t Repeats() const
    {
        return length / period;
    }
};

/// The longest such parts for every period up to `longestPeriod`, by period. A part that lies
/// within one of a shorter period is left out, as those of the multiples of a period do.
///
/// Time: elements times longest period.
std::vector<RepeatedRun> FindRepeatedRuns(const std::vector<TaskSignature>& sequence,
                                          size_t longestPeriod);

/// Of those, the ones that are layers, in order, without overlap. A run is a higher level, as
/// micro-batches are, where runs within it cover at least half of it; else the runs within it are
/// noise. A layer has more than one kernel: `isKernel` says which elements are some.
std::vector<RepeatedRun> SelectLayerRuns(const std::vector<RepeatedRun>& runs,
                                         const std::vector<bool>& isKernel);

} // namespace nadi
