// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/kernels/kernel-launch.h"
#include "workload/models/pipeline-schedule.h"
#include "workload/models/transformer-shape.h"

#include <cstdint>

namespace nadi
{

/// In how many parts a job is cut along each axis; their product, without experts, is the ranks.
///
/// Ranks are laid out with tensor parallelism innermost, then context, data, pipeline:
/// rank = ((pp * dp.size + dp) * cp.size + cp) * tp.size + tp.
/// `expert` divides `data`: an expert group is `expert` neighbours along the data axis.
struct ParallelDegrees
{
    uint32_t tensor = 1;
    uint32_t context = 1;
    uint32_t data = 1;
    uint32_t pipeline = 1;
    uint32_t expert = 1;

    uint64_t Ranks() const
    {
        return uint64_t{tensor} * context * data * pipeline;
    }

    /// Ranks that hold copies of the same dense parameters, or of the same experts.
    uint32_t DenseCopies() const
    {
        return data * context;
    }

    uint32_t ExpertCopies() const
    {
        return data * context / expert;
    }
};

/// What is not kept of a forward pass, but computed once more in the backward pass.
enum class Recompute : uint8_t
{
    None,
    Selective, ///< the core of the attention
    Full,      ///< whole layers, their communication included
};

/// About how many nodes a layer has for each micro-batch: two blocks, each of at most 3 nodes
/// forward and 5 backward where there are no experts and no ring.
constexpr uint64_t NODES_OF_LAYER = 16;

/// One training step of a transformer, complete.
struct TransformerJob
{
    TransformerShape shape;
    ParallelDegrees degrees;
    bool hasSequenceParallelism = false;
    uint64_t microBatch = 1; ///< sequences
    Pipeline pipeline;       ///< its stages are degrees.pipeline
    uint32_t zero = 0;       ///< stage of ZeRO, 0 to 3
    Recompute recompute = Recompute::None;
    /// Parameters are in remote memory: loaded for each pass of a layer; gradients are stored
    /// there.
    bool streamsWeights = false;
    uint64_t elementBytes = 2;                 ///< of activations and parameters
    NumberType elementType = NumberType::None; ///< what these are
    uint64_t gradientBytes = 2;                ///< of gradients
    uint64_t bucketBytes = 0;                  ///< gradients are reduced when so many are there

    /// Of a micro-batch on one rank.
    uint64_t Tokens() const
    {
        return microBatch * shape.sequence / degrees.context;
    }

    uint32_t Chunks() const
    {
        return pipeline.stages * pipeline.chunks;
    }

    /// The first layer of a chunk, counted over all stages; the first chunks have one more where
    /// the layers do not divide evenly. Chunk c belongs to stage c mod stages.
    uint64_t FirstLayer(uint32_t chunk) const
    {
        const uint64_t extra = shape.layers % Chunks();
        return shape.layers / Chunks() * chunk + (chunk < extra ? chunk : extra);
    }
};

} // namespace nadi
