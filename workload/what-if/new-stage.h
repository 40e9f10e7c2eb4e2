// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/models/pipeline-schedule.h"
#include "workload/what-if/parameter-share.h"
#include "workload/what-if/recorded-stage.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace nadi
{

/// A chunk of one recorded stage. No stage: nothing that was recorded.
struct StagePart
{
    const RecordedStage* stage = nullptr; ///< outlives the part
    uint32_t chunk = 0;

    bool operator==(const StagePart&) const = default;
};

/// What a chunk of layers of a new stage is made of (ChunkSource).
struct NewChunk
{
    uint32_t number = 0;     ///< among the chunks of all stages, in the order of a forward pass
    uint32_t firstLayer = 0; ///< the number of its first layer in the model
    StagePart layers;
    StagePart begin;
    StagePart end;

    /// Where a part of its passes comes from.
    const StagePart& PartOf(bool isForward, PassSlot::Part part) const
    {
        if (part == PassSlot::Part::Layer || part == PassSlot::Part::Extra)
        {
            return layers;
        }
        return isForward == (part == PassSlot::Part::Before) ? begin : end;
    }
};

/// Of a matrix that the embedding and the head share, where both are on different stages: a copy
/// each, whose gradients are summed.
struct TiedMatrix
{
    /// How much sums of the head's gradients, and gathers of its parameters, grow; negative where
    /// the copy goes.
    int64_t parameters = 0; ///< likewise, of the optimizer
    int64_t sumBytes = 0;
    uint64_t shards = 1; ///< ranks that have a part each of what is summed (CountShards)
    int64_t gatherBytes = 0;
    /// Of the sum between the ends that is put in; 0: none is.
    uint64_t sumOfEnds = 0;
};

/// What a stage of a new job is made of. The references outlive it.
struct NewStage
{
    const RecordedStage& base;        ///< whose tasks before and after all passes it has
    std::vector<NewChunk> chunks;     ///< their layers are those of the base
    std::vector<PipelinePass> passes; ///< in its order
    uint32_t microBatches = 1;        ///< among them
    bool isWhole = false;             ///< it has the whole model, both ends of the pipeline
    /// Calls of all ranks in its passes are of all those of a stage: there was a single one.
    bool areAllOfStage = false;
    std::vector<bool> dropped = {}; ///< groups of `base` that it is not in
    ParameterShare share = {};      ///< for kernels of the optimizer
    TiedMatrix tied = {};
    uint64_t messageBytes = 0;             ///< of messages that are put in
    uint64_t firstTag = 0;                 ///< of messages between stages
    std::optional<uint32_t> nextPeer = {}; ///< `peer` of messages to the next stage; the one after
                                           ///< it is the stage before. Nothing: they stay

    const NewChunk& ChunkOf(size_t pass) const
    {
        return chunks[passes[pass].chunk];
    }

    /// Where what is before the layers of a pass comes from.
    const StagePart& EntryOf(size_t pass) const
    {
        return ChunkOf(pass).PartOf(passes[pass].isForward, PassSlot::Part::Before);
    }

    /// And what is after them.
    const StagePart& ExitOf(size_t pass) const
    {
        return ChunkOf(pass).PartOf(passes[pass].isForward, PassSlot::Part::After);
    }

    /// The recorded pass of a part that stands for a new one. Requires: the part has a stage.
    size_t RecordedPassOf(const StagePart& part, size_t pass) const
    {
        PipelinePass wanted = passes[pass];
        wanted.chunk = part.chunk;
        return part.stage->FindPattern(wanted, microBatches, pass == 0);
    }
};

} // namespace nadi
