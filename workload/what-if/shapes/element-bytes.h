// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/what-if/shapes/task-meaning.h"

#include <cstdint>

namespace nadi
{

/// Bytes of a number of what blocks pass on: as in recorded calls and messages, else as in the
/// first kernel of a block, else 2. `part`: what the rank holds of the model, as recorded.
uint64_t FindActivationBytes(const ExecutionGraph& graph,
                             const RankMeaning& meaning,
                             const ShapeSizes& part);

} // namespace nadi
