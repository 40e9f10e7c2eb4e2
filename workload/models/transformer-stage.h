// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/models/transformer-job.h"

#include <cstdint>

namespace nadi
{

/// The trace of one training step on the ranks of one pipeline stage that hold `local` of each
/// layer (TransformerParts); they share it.
///
/// Kernels run pass by pass in the order of the schedule. Receives wait for nothing but their
/// message; activations are sent as soon as they are there, gradients when the pass is over, as
/// frameworks do that compute gradients of inputs and weights together.
///
/// Groups: `tp`, `ep`, `dp`, `expert-dp`, `embedding` (the first and the last stage). Peers: see
/// TransformerBlockWriter::Peer.
ExecutionGraph
MakeTransformerStage(const TransformerJob& job, const TransformerShape& local, uint32_t stage);

} // namespace nadi
