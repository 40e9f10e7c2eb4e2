// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace nadi
{

/// A job in which each rank sums its gradients with its copies to come.
struct SummedJob
{
    Workload job;
    /// By graph: the groups of its copies, and of those of its experts, which are of the rank alone
    /// still.
    std::vector<std::set<uint32_t>> groupsOfGraph;
    std::vector<std::string> notes; ///< what was assumed, a sentence each
};

/// The job of a single copy with sums of gradients put in, as without ZeRO: an all-reduce for the
/// gradients of each layer, of the head and of the embedding, behind the last kernel of them that
/// the optimizer waits for in the last micro-batch. It waits for the sum instead.
///
/// Parameters are counted (CountedParameters), and gradients have as many bytes as they.
///
/// Experts of a layer have a sum of their own beside it.
///
/// Throws ConfigError as CountedParameters and CheckAwaitsLastAlone do. Requires: `structure` was
/// found in `job`, which has one copy.
SummedJob AddGradientSums(const Workload& job, const JobStructure& structure);

} // namespace nadi
