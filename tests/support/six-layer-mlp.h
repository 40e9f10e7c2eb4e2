// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"

#include <string>

namespace nadi
{

/// One training step of the six-layer, model-parallel MLP, the same on every rank: 29 nodes.
///
/// Forward, layer by layer: compute, then an all-gather of the activations, for which the next
/// layer waits. Backward, from the last layer: the gradient of the inputs is computed, then
/// all-reduced for the layer before, which waits for it; meanwhile the gradient of the weights is
/// computed, which needs no communication, since each rank holds its own part of the weights. No
/// layer comes before the first, so that its gradient of the inputs is not reduced.
ExecutionGraph MakeMlp();

/// Writes MakeMlp() as a Chakra trace for all ranks. Throws ConfigError when it cannot.
void WriteMlpTrace(const std::string& path);

} // namespace nadi
