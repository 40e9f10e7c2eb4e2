// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/models/rank-blocks.h"
#include "workload/models/text-file.h"

namespace nadi
{

/// The trace of `passes` training steps of a text workload, the same on every rank.
///
/// Kernels run one after the other. Forward, layer by layer: the kernel, then its collective, for
/// which the next layer waits. Backward, from the last layer, by the policy of the file:
///   Data, Dlrm: the weight gradient, its collective, then the input gradient (but of the first
///   layer);
///   Transformer: the input gradient, its collective, and once that is done the weight gradient;
///   the others: the same, but the weight gradient is computed meanwhile, and the layer before
///   waits for the collective. The first layer's input gradient has no collective.
/// The collective of a weight gradient is waited for by the same layer in the next step only, after
/// the update, which takes its time on the rank where weights are communicated.
///
/// Over which ranks, by policy:
///   forward and input gradient: none (Data, Micro, Dlrm), all (Model, Inference), the blocks
///   (ModelData, Transformer), across blocks (DataModel);
///   weight gradient: all (Data, Micro, Dlrm), none (Model, Inference), the others (the rest).
/// With Dlrm the first layer is the embedding: its collectives go to all ranks. That of its vectors
/// must be an all-to-all and runs beside the bottom layers. That of their gradients starts once the
/// first top layer has its input gradient, and the step ends with it if the file says so. Micro
/// calls the collective of the first layer's weights for each step, all at once, and computes
/// nothing. Inference is forward only.
///
/// `blocks` has the ranks of the first dimension, or those of a model-parallel group, as a block.
ExecutionGraph MakeTextGraph(const TextFile& file, const RankBlocks& blocks, uint64_t passes);

} // namespace nadi
