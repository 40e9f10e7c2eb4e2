// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/memory/memory-estimate.h"

#include <optional>
#include <vector>

namespace nadi
{

/// Parameters, gradients and optimizer states of a rank that streams them: layers load parameters
/// from another memory before each pass, and store gradients there, where parameters are updated.
/// It keeps what two loads in a row bring in, as one is worked on while the other comes, and the
/// gradients of one store. Nothing: the rank keeps its parameters.
std::optional<std::vector<MemoryPart>> FindStreamedParameters(const ExecutionGraph& graph,
                                                              const RankStructure& rank);

} // namespace nadi
