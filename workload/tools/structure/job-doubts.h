// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// Why an edit that needs layers is refused, and what helps.
inline constexpr const char* NO_LAYERS_FOUND =
    "no layers were found in the traces, and nadi trace structure says why; --layer-pattern REGEX "
    "helps, with the name of the first kernel of each layer";

/// The degrees that a user gives, and those that the traces show without them.
struct DegreeEvidence
{
    FoundDegrees hints;
    FoundDegrees shown;
};

/// Why no other structure can be made of this one, a sentence; empty: nothing is against it. Where
/// layers were found, they are no micro-batches (FindAddedGradients), ranks of one stage go through
/// as many, passes of a chunk through as many, and iterations are whole. All ranks are there, and
/// the degrees multiply to them; where those shown do, no hint says otherwise. Members of a group
/// make the same calls (FindDisagreement), messages have both ends (FindLostMessages) and lead from
/// stage to stage (FindMessagesWithinStage), and ranks that nothing links have equal widths
/// (FindUnlikeRanks).
///
/// `recordedRanks`: how many the recording says that the job had; 0: it does not say.
std::string FindObstacle(const Workload& workload,
                         const JobStructure& structure,
                         const DegreeEvidence& degrees,
                         uint32_t recordedRanks);

/// Ranks of one stage that go through other numbers of layers, or have other numbers of passes; a
/// sentence, or empty.
std::string FindUnequalStages(const JobStructure& structure);

/// What is odd in the traces of a job, though edits hold for it, a sentence each: tasks of the
/// accelerator without a launch, in traces that have operators of the host; backward passes
/// without an optimizer behind them; passes that do much more than others.
std::vector<std::string> ListOddities(const Workload& workload, const JobStructure& structure);

/// How many ranks there are in all; what is not known counts as 1. At most 2^32 - 1.
uint64_t MultiplyDegrees(const FoundDegrees& degrees);

} // namespace nadi
