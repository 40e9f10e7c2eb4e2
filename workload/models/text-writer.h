// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/models/rank-blocks.h"
#include "workload/models/text-file.h"

namespace nadi
{

/// The trace of `passes` training steps of a text workload, the same on every rank.
///
/// Forward, layer by layer: the kernel, then its collective, for which the next layer waits.
/// Backward, from the last layer: the kernel of the input gradient (but of the first layer), then
/// its collective, for which the layer before waits, and meanwhile the kernel of the weight
/// gradient. Its collective is waited for by the same layer in the next step only, after the
/// update, which takes its time on the rank where weights are communicated.
///
/// Over which ranks, by policy:
///   forward and input gradient: none (Data, Micro, Dlrm), all (Model, Inference), the blocks
///   (ModelData, Transformer), across blocks (DataModel);
///   weight gradient: all (Data, Micro, Dlrm), none (Model, Inference), the others (the rest).
/// With Dlrm the first layer is the embedding: its collectives go to all ranks, forward beside the
/// bottom layers, backward once the first top layer has its input gradient. Micro is one step of
/// weight gradients only. Inference is forward only.
///
/// `blocks` has the ranks of the first dimension, or those of a model-parallel group, as a block.
ExecutionGraph MakeTextGraph(const TextFile& file, const RankBlocks& blocks, uint64_t passes);

} // namespace nadi
