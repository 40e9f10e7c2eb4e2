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
/// Parameters are those of the matrices that backward products have as results. Kernels of the
/// optimizer say how many there are in all: an embedding has a matrix like the head's, and what is
/// left beyond matrices (norms, biases) is dealt to the layers evenly, apart from a norm of the
/// head, in whole rows of the hidden size. Gradients have as many bytes as parameters.
///
/// Experts of a layer have a sum of their own beside it. They have a bias for each column of their
/// matrices where what is left is enough for those of all matrices.
///
/// Throws ConfigError where kernels do not say these numbers, with what is missing. Requires:
/// `structure` was found in `job`, which has one copy.
SummedJob AddGradientSums(const Workload& job, const JobStructure& structure);

} // namespace nadi
