// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/models/pipeline-schedule.h"

#include <cstdint>
#include <optional>

namespace nadi
{

/// A chunk of layers that was recorded.
struct RecordedChunk
{
    uint32_t stage = 0;
    uint32_t chunk = 0; ///< of the stage

    bool operator==(const RecordedChunk&) const = default;
};

/// Where a chunk of a new pipeline comes from.
struct ChunkSource
{
    RecordedChunk layers;
    /// What is done on the side of the first layer: the embedding, or messages with the chunk
    /// before. Nothing: such messages are to be put in, as none were recorded.
    std::optional<RecordedChunk> begin;
    /// On the side of the last layer: head and loss, or messages with the next chunk.
    std::optional<RecordedChunk> end;
};

/// The recorded stage whose tasks a new one has: the first and the last those of theirs, others
/// those of recorded ones between, in turn; where there is none, those of the last.
uint32_t BaseStageOf(const Pipeline& recorded, const Pipeline& wanted, uint32_t stage);

/// Of a chunk of a new stage. The first chunk of the model begins as the recorded first one, the
/// last one ends as the recorded last one; others have messages on both sides, if any were recorded
/// those of their own stage.
ChunkSource
FindChunkSource(const Pipeline& recorded, const Pipeline& wanted, uint32_t stage, uint32_t chunk);

} // namespace nadi
