// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/tools/structure/task-order.h"
#include "workload/what-if/shapes/group-roles.h"
#include "workload/what-if/shapes/size-sightings.h"
#include "workload/what-if/shapes/task-meaning.h"
#include "workload/workload.h"

#include <string>

namespace nadi
{

/// A rank whose tasks are read, and its job. What is referred to outlives the readers.
struct RankContext
{
    const Workload& job;
    const JobStructure& structure;
    const GroupRoles& roles;
    const RankStructure& rank; ///< with its own lists of tasks
    const ExecutionGraph& graph;
};

/// Whether a collective outside of passes is none of parameters: what ranks tell each other
/// besides, as a loss or a norm, is a few numbers. A barrier has no size.
inline bool
TellsFewNumbers(const ExecutionNode& call)
{
    return call.size == 0 || IsOfFewNumbers(call);
}

/// Tells what the tasks of one rank count, from where they stand. Throws ConfigError at `wish`,
/// with the task, for one that cannot be told.
RankMeaning ReadRank(const RankContext& context, const std::string& wish);

/// Sets places, and what nodes of blocks count: forward passes are read by their products
/// (ReadForwardWorks), backward ones by the forward pass of the same micro-batch or chunk.
void ReadPassWorks(const RankContext& context, SizeSightings& sizes, RankMeaning& meaning);

/// Sets what messages and calls of tensor and expert groups count. A tensor group gathers for the
/// block that follows or sums what the block before gave out; behind an output head it is for the
/// loss. Requires: works are known.
void ReadLayerCalls(const RankContext& context, const SizeSightings& sizes, RankMeaning& meaning);

/// Sets what calls among copies count, and the optimizer. Sums are of the blocks whose gradients
/// they wait for, else of their layer. Gathers are of the blocks from the first one that waits for
/// them to the next that waits for a gather; or of what the optimizer updated, in the order of the
/// sums. Requires: works and calls of layers are known.
void ReadCopyCalls(const RankContext& context, const SizeSightings& sizes, RankMeaning& meaning);

/// Sets what other kernels of passes work on, as norms and activations do: the hidden width between
/// blocks, the inner width within them; a softmax within an attention, its scores. Requires: all
/// else is known.
void ReadOtherKernels(const RankContext& context, RankMeaning& meaning);

} // namespace nadi
