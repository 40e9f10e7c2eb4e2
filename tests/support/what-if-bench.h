// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "tests/support/model-bench.h"
#include "workload/what-if/what-if.h"
#include "workload/workload.h"

#include <functional>
#include <string>
#include <vector>

/// \file
/// The judge of what-if: an edited job is the one that the generator makes.

namespace nadi::test
{

/// A transformer, and what is to be other in it.
struct WhatIfPair
{
    ModelValues values; ///< of both
    ModelValues from;
    ModelValues to;
};

/// For messages of tests.
std::string DescribePair(const WhatIfPair& pair);

/// The defaults count where neither the values nor the two sides say otherwise.
WhatIfPair PairBeside(ModelValues defaults, ModelValues values, ModelValues from, ModelValues to);

/// Two copies of three layers whose widths do not follow from each other.
WhatIfPair SizesOf(ModelValues values, ModelValues from, ModelValues to);

/// One size before and after.
WhatIfPair
SizeOf(ModelValues values, const std::string& key, const std::string& from, const std::string& to);

/// Sizes at which kernels take microseconds.
ModelValues LargeSizes();

/// The small job that `half` of a pair makes, on as many ranks as its degrees have.
Workload GenerateHalf(const WhatIfPair& pair, const ModelValues& half);

/// What leads to a configuration.
WhatIf WishOf(const ModelValues& to);

/// The job with names that say nothing.
Workload WithNeutralNames(Workload job);

/// The job without the kernels for which `isGone` says so; their nodes stay.
Workload WithoutSome(Workload job, const std::function<bool(const KernelLaunch&)>& isGone);

/// As a recording without a host trace: no kernel names shapes.
Workload WithoutKernels(Workload job);

/// As traces that are read: what all ranks call names no group.
Workload WithoutNamesOfAllRanks(Workload job);

/// As traces whose files list their nodes in any order, another one on each rank.
Workload Shuffled(const Workload& job);

/// What the edits make of a job whose structure they find by themselves.
Workload MakeWhatIf(Workload job, const ModelValues& to);

/// Checks that all that a simulation looks at is equal, tasks in the same order.
void CheckSameJob(const Workload& made, const Workload& expected);

/// Checks that they are equal within one percent.
void CheckDurations(const Workload& made, const Workload& expected);

/// Checks each pair there, back, and there without names and without groups of all ranks.
void CheckPairs(const std::vector<WhatIfPair>& pairs);

} // namespace nadi::test
