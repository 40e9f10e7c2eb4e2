// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/graph-copy.h"

#include <vector>

namespace nadi
{

/// A kernel that does what several did. Its duration is that of the last one, to be set anew.
struct FusedKernel
{
    NodeCopy whole;
    /// The sizes of some neighbours do not tell what one writes and the next reads.
    bool isTrafficAssumed = false;
};

/// One kernel in the place of several that follow each other: its name has all names, its
/// operations add up. Its bytes are those of all, without what each writes and the next reads,
/// where their sizes tell that it is the same tensor; else the larger bytes of both stay. All else
/// is that of the last one. Requires: there are two or more.
FusedKernel FuseKernels(const std::vector<NodeCopy>& parts);

} // namespace nadi
