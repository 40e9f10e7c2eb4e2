// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/chunk-source.h"

#include <algorithm>

namespace nadi
{

namespace
{

uint32_t
ChunkCountOf(const Pipeline& pipeline)
{
    return pipeline.stages * pipeline.chunks;
}

/// Among the chunks of all stages, in the order of a forward pass.
uint32_t
NumberOf(const Pipeline& pipeline, const RecordedChunk& chunk)
{
    return chunk.chunk * pipeline.stages + chunk.stage;
}

/// The one that is preferred, another one of its stage, or `other`: the first that is not `end`,
/// an end of the model. Nothing: there is but one chunk.
std::optional<RecordedChunk>
FindBetween(const Pipeline& recorded, RecordedChunk preferred, uint32_t end, RecordedChunk other)
{
    if (ChunkCountOf(recorded) == 1)
    {
        return std::nullopt;
    }
    if (NumberOf(recorded, preferred) != end)
    {
        return preferred;
    }
    for (uint32_t chunk = 0; chunk < recorded.chunks; ++chunk)
    {
        const RecordedChunk mine{preferred.stage, chunk};
        if (NumberOf(recorded, mine) != end)
        {
            return mine;
        }
    }
    return other;
}

} // namespace

uint32_t
BaseStageOf(const Pipeline& recorded, const Pipeline& wanted, uint32_t stage)
{
    // With as many stages as before, each keeps its own tasks, though its chunks may be others.
    if (recorded.stages == wanted.stages || stage == 0)
    {
        return stage;
    }
    const uint32_t last = recorded.stages - 1;
    const bool isEnd = stage + 1 == wanted.stages;
    // Of one or two recorded stages none is between others. The last one stands for such a stage
    // then, and FindChunkSource gives its chunks other ends.
    return isEnd || recorded.stages <= 2 ? last : 1 + (stage - 1) % (recorded.stages - 2);
}

ChunkSource
FindChunkSource(const Pipeline& recorded, const Pipeline& wanted, uint32_t stage, uint32_t chunk)
{
    const uint32_t last = ChunkCountOf(recorded) - 1;
    const RecordedChunk first{0, 0};
    const RecordedChunk lastOfModel{recorded.stages - 1, recorded.chunks - 1};
    // Layers of a chunk that was not recorded repeat those of the last chunk of the stage.
    ChunkSource source{
        .layers = {BaseStageOf(recorded, wanted, stage), std::min(chunk, recorded.chunks - 1)},
        .begin = first,
        .end = lastOfModel};
    // The ends of the model are kept where the new chunk is an end, too. All others begin and end
    // with messages, so they look for a recorded chunk that does.
    const uint32_t number = NumberOf(wanted, {stage, chunk});
    if (number > 0)
    {
        source.begin = FindBetween(recorded, source.layers, 0, lastOfModel);
    }
    if (number + 1 < ChunkCountOf(wanted))
    {
        source.end = FindBetween(recorded, source.layers, last, first);
    }
    return source;
}

} // namespace nadi
