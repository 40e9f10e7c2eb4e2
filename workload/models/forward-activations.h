// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/models/forward-model.h"

#include <cstdint>

namespace nadi
{

/// The memory that a forward pass needs on a rank besides weights and cache: the tokens' vectors
/// that go around each kernel (the residual stream), and what the kernel with the most of it reads
/// and writes. What other kernels wrote is free again by then, as nothing is kept for a backward
/// pass.
///
/// Follows from the kernels of ForwardCosts, whose element-wise operations are fused with the
/// matrix products before them. Engines measure the same by a pass of the largest batch (vLLM's
/// profile run); they need more for buffers of their libraries.
///
/// `part`: what the rank holds of each layer. Copies of tokens go to experts evenly.
uint64_t ActivationBytesOfPass(const ForwardModel& model,
                               const TransformerShape& part,
                               const PassBatch& batch);

/// The same on a rank that has experts alone, and gets `copies` of tokens: these, what the experts
/// make of them inside, and their results.
uint64_t ActivationBytesOfExperts(const ForwardModel& model, uint64_t copies);

} // namespace nadi
