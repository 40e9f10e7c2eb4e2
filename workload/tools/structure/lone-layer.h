// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/layer-spans.h"

#include <cstddef>
#include <vector>

namespace nadi
{

/// Where a pass begins within `visits`, parts of the spine that hold one layer each: those of a
/// rank whose passes go through a single layer, and follow each other with nothing between them.
/// Names say which tasks are backward. All passes of a direction repeat the same tasks.
///
/// Empty where there are not as many passes backward as forward, and where passes backward follow
/// each other of which one does not add its gradients to those of the one before (AddsUp).
std::vector<size_t> FindPassesOfLoneLayers(const ExecutionGraph& graph,
                                           const TaskList& tasks,
                                           const TaskSpine& spine,
                                           const std::vector<LayerSpan>& visits);

} // namespace nadi
