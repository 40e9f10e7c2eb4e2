// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

#include <cstdint>
#include <optional>
#include <string>

namespace nadi
{

/// What other edits are to change; nothing: it stays.
struct ExpertWish
{
    std::optional<uint32_t> expert; ///< ranks that share the experts of a layer
    std::optional<uint32_t> copies;
    bool areLayersDealtAnew = false;
};

/// A job as other edits need it.
struct ExpertSums
{
    std::optional<Workload> job; ///< nothing: as it was
    std::string note;            ///< what cannot be known, a sentence; empty: nothing
};

/// While edits change how experts are spread, how many copies of them there are, or which layers a
/// rank has, their gradients are summed apart (SumExpertsApart), also where they have a single
/// copy: that tells how many parameters they have.
///
/// Throws ConfigError where that is unknown, and their copies or ranks are to be others. Requires:
/// `structure` was found in `job`.
ExpertSums
PrepareExpertSums(const Workload& job, const JobStructure& structure, const ExpertWish& wish);

} // namespace nadi
