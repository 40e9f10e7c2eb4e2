// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/library/collective-program.h"

#include <cstdint>

namespace nadi
{

/// A program of one phase, whose plan is the library's own for the whole communicator: one chunk,
/// over the list of all members. `planner` makes the plan. `lanesAtOnce`, `protocol` and the rest
/// of `decision` are left to the caller.
///
/// Requires: the layout of the request has one dimension; sizes are even, or it is an all-to-all
/// whose plan fits UnevenSizes.
CollectiveProgram MakeWholeProgram(const ProgramRequest& request,
                                   uint32_t elementBytes,
                                   const ChosenAlgorithm& planner);

} // namespace nadi
