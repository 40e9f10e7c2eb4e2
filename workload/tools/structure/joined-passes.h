// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/layer-spans.h"

#include <vector>

namespace nadi
{

/// Cuts passes of several micro-batches that follow each other with nothing between them, as of
/// GPipe on one stage without embedding and head. What a layer adds its gradients to tells them: a
/// task that waits for the same task two or more layers earlier is of another micro-batch than that
/// one. Passes that go through as many layers as such a one are cut likewise.
///
/// Passes of a single layer each are left joined: a task may wait for that of the layer before for
/// other reasons.
std::vector<PassSpans> CutJoinedPasses(const ExecutionGraph& graph,
                                       const TaskList& tasks,
                                       const TaskSpine& spine,
                                       std::vector<PassSpans> passes);

} // namespace nadi
