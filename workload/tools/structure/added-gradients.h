// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

#include <string>

namespace nadi
{

/// Whether a task of the second list waits for that at its place in the first one, for which
/// nothing else in the second list waits, but also for one of its own list. So do gradients of
/// weights that are added up: the lists are what a layer does in one micro-batch and in the next
/// one.
///
/// Kernels on streams follow each other as they were launched, so they tell nothing here.
bool AddsUp(const ExecutionGraph& graph, const TaskList& before, const TaskList& after);

/// Layers that no scope names, and that are one layer in several micro-batches: each adds its
/// gradients to those of the one before. Different layers never do: they pass on what they give out
/// to first kernels. A sentence, or empty.
std::string FindAddedGradients(const Workload& workload, const JobStructure& structure);

} // namespace nadi
