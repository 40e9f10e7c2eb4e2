// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/what-if/kernel-times/kernel-timer.h"
#include "workload/what-if/shapes/shape-wish.h"
#include "workload/workload.h"

#include <string>
#include <vector>

namespace nadi
{

/// A job of other sizes, and what is different and was assumed, a sentence each.
struct ShapeEdit
{
    Workload job;
    std::vector<std::string> notes;
};

/// The same job with other sizes of its model. What each recorded size means follows from its place
/// (ReadShapes). Every size that depends on a changed one is computed anew: of kernels,
/// collectives, messages, shards and the optimizer.
///
/// Widths and heads that the wish does not name stay, apart from two: the size of a head follows
/// the hidden width where the heads together were as wide, and heads of keys and values keep their
/// ratio to the heads. Micro-batches stay as many, so the batch grows with them.
///
/// Another tensor-parallel degree cuts the layers anew (CutSizes). New ranks do what recorded ones
/// of their place do, in turn.
///
/// A graph that ranks share is changed once for each part of the model that they hold. Without a
/// change the job is the same. Throws ConfigError for sizes that do not divide each other, for what
/// ReadShapes refuses, and where the parameters that explain recorded sizes can be told in several
/// ways that give different ones. Requires: `structure` was found in `job`.
ShapeEdit ChangeShapes(const Workload& job,
                       const JobStructure& structure,
                       const ShapeWish& wish,
                       KernelTimer& timer);

} // namespace nadi
