// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/graph-copy.h"
#include "workload/what-if/kernel-times/kernel-timer.h"
#include "workload/what-if/shapes/size-change.h"
#include "workload/what-if/shapes/task-meaning.h"

namespace nadi
{

/// The task with the sizes after the change: kernels, operations, bytes, its duration where it has
/// one. The size of a collective or message is as many times what it counts as before.
///
/// Requires: the reading of the graph (ReadShapes) gave it this meaning, with `change.before`.
NodeCopy
ResizeTask(NodeCopy task, const TaskMeaning& meaning, const SizeChange& change, KernelTimer& timer);

} // namespace nadi
