// SPDX-License-Identifier: GPL-2.0-only
#include "system/message-programs/message-program.h"

#include "common/check.h"

#include <algorithm>

namespace nadi
{

namespace
{

ChunkRange
ShardOf(const ProgramBuffers& buffers, uint32_t rank)
{
    const uint32_t shard = buffers.ChunksOfShard();
    return {rank * shard, (rank + 1) * shard};
}

/// The whole buffer for the root, else nothing.
ChunkRange
AllAtRoot(const ProgramBuffers& buffers, uint32_t rank)
{
    return {0, rank == buffers.root ? buffers.chunks : 0};
}

} // namespace

ChunkRange
InputChunks(const ProgramBuffers& buffers, uint32_t rank)
{
    switch (buffers.type)
    {
    case CollectiveType::AllGather:
    case CollectiveType::Gather:
        return ShardOf(buffers, rank);
    case CollectiveType::Broadcast:
    case CollectiveType::Scatter:
        return AllAtRoot(buffers, rank);
    default:
        return {0, buffers.chunks};
    }
}

ChunkRange
OutputChunks(const ProgramBuffers& buffers, uint32_t rank)
{
    switch (buffers.type)
    {
    case CollectiveType::ReduceScatter:
    case CollectiveType::Scatter:
        return ShardOf(buffers, rank);
    case CollectiveType::Reduce:
    case CollectiveType::Gather:
        return AllAtRoot(buffers, rank);
    default:
        return {0, buffers.chunks};
    }
}

bool
IsCutByRank(CollectiveType type)
{
    return type == CollectiveType::AllGather || type == CollectiveType::ReduceScatter ||
           type == CollectiveType::AllToAll || type == CollectiveType::Gather ||
           type == CollectiveType::Scatter;
}

/// A barrier counts as a sum of nothing: in the end every rank must have heard of every other one,
/// which is what an all-reduce promises.
bool
IsReduction(CollectiveType type)
{
    return type == CollectiveType::AllReduce || type == CollectiveType::ReduceScatter ||
           type == CollectiveType::Reduce || type == CollectiveType::Barrier;
}

std::span<const ProgramStep>
MessageProgram::StepsOf(uint32_t rank, uint32_t lane) const
{
    const uint32_t first = LaneAt(rank, lane).firstStep;
    const uint32_t end =
        lane + 1 < LaneCount(rank) ? LaneAt(rank, lane + 1).firstStep : StepCountOf(rank);
    return {m_steps.data() + m_firstStep[rank] + first, end - first};
}

ProgramStepId
MessageProgram::StepNumbered(uint32_t rank, uint32_t number) const
{
    NADI_CHECK(number < StepCountOf(rank));
    const auto begin = m_lanes.begin() + m_firstLane[rank];
    const auto end = m_lanes.begin() + m_firstLane[rank + 1];
    // The last lane that begins there or before; lanes without steps begin where the next one does.
    const auto after = std::upper_bound(begin,
                                        end,
                                        number,
                                        [](uint32_t step, const ProgramLane& lane)
                                        { return step < lane.firstStep; });
    const auto lane = after - 1;
    return {rank, static_cast<uint32_t>(lane - begin), number - lane->firstStep};
}

uint32_t
MessageProgram::ChunkOf(uint32_t rank, uint32_t number) const
{
    const size_t index = m_firstStep[rank] + number;
    return m_chunks.empty() ? ChunkAt(m_buffers, rank, m_steps[index].place) : m_chunks[index];
}

uint32_t
ChunkAt(const ProgramBuffers& buffers, uint32_t rank, uint32_t place)
{
    NADI_CHECK(place < buffers.ScratchBegin());
    if (place >= buffers.chunks)
    {
        return place - buffers.chunks;
    }
    if (buffers.type != CollectiveType::AllToAll)
    {
        return place;
    }
    const uint32_t shard = buffers.ChunksOfShard();
    // A place of the result of an all-to-all holds a part of what some rank had for `rank`. The
    // chunk is numbered within the row of that other rank.
    return rank * shard + place % shard;
}

} // namespace nadi
