// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/what-if/recorded-part.h"
#include "workload/workload.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// A job in which each rank has a graph.
struct CompletedJob
{
    Workload job; ///< ranks that do the same share a graph, if it names no other roots
    std::vector<uint32_t> placeOfGraph; ///< the recorded rank that each graph is of, in the part
    std::string note;                   ///< which recorded ranks stand for which others, a sentence
};

/// Gives the ranks that were not recorded the graphs of recorded ones of the same place.
///
/// A rank that shares a tensor, data, expert or context group with a recorded rank does what that
/// rank does. Data groups go before tensor groups, small groups before large ones, and the
/// recorded members of a group take turns. Of the groups of a recorded rank, those that have the
/// new rank are its groups too. Its other groups, its peers and the roots of its collectives are as
/// far from it as those of the recorded rank are from that one. So a ring of contexts must have
/// been recorded whole, once.
///
/// `part` was taken out of `whole`, and `structure` was found in it. Throws ConfigError where
/// that leaves a rank without a graph, and where groups or messages do not fit together then.
CompletedJob CompleteJob(const Workload& whole, RecordedPart part, const JobStructure& structure);

} // namespace nadi
