// SPDX-License-Identifier: GPL-2.0-only
#include "system/message-programs/program-builder.h"

#include "common/check.h"

#include <utility>

namespace nadi
{

namespace
{

/// What makes the places of ProgramBuffers well defined: shards are whole chunks, and the two ends
/// of an all-to-all have places of their own.
void
CheckBuffers(const ProgramBuffers& buffers)
{
    NADI_CHECK(buffers.ranks > 0 && buffers.chunks > 0);
    NADI_CHECK(buffers.type != CollectiveType::AllToAll || !buffers.isInPlace);
    NADI_CHECK(!IsCutByRank(buffers.type) || buffers.chunks % buffers.ranks == 0);
}

} // namespace

ProgramBuilder::ProgramBuilder(const ProgramBuffers& buffers, size_t steps)
{
    CheckBuffers(buffers);
    m_program.m_buffers = buffers;
    m_program.m_steps.reserve(steps);
}

void
ProgramBuilder::BeginRank()
{
    NADI_CHECK(m_program.m_firstLane.size() < m_program.m_buffers.ranks);
    m_program.m_firstLane.push_back(static_cast<uint32_t>(m_program.m_lanes.size()));
    m_program.m_firstStep.push_back(m_program.m_steps.size());
}

void
ProgramBuilder::BeginLane(ProgramLane lane)
{
    NADI_CHECK(!m_program.m_firstLane.empty());
    lane.firstStep = NextStep();
    m_program.m_lanes.push_back(lane);
    m_sent = 0;
    m_received = 0;
}

void
ProgramBuilder::Add(ProgramStep step, std::optional<uint32_t> chunk)
{
    const uint32_t places = m_program.m_buffers.Places();
    const ProgramLane& lane = m_program.m_lanes.back();
    // The sum `place + count` could pass 32 bits, so the check does without it.
    const auto fits = [&](uint32_t place)
    { return place < places && step.count > 0 && step.count <= places - place; };
    const bool hasPlaces = step.Sends() || step.Receives() || step.IsLocal();
    if (hasPlaces)
    {
        NADI_CHECK(fits(step.place));
    }
    if (step.IsLocal())
    {
        NADI_CHECK(fits(step.operand));
    }
    if (step.Sends())
    {
        NADI_CHECK(lane.sendPeer < m_program.m_buffers.ranks);
        step.operand = m_sent++;
    }
    if (step.Receives())
    {
        NADI_CHECK(lane.receivePeer < m_program.m_buffers.ranks);
        step.operand = m_received++;
    }
    NoteChunk(step, chunk);
    m_program.m_steps.push_back(step);
}

void
ProgramBuilder::AddSized(ProgramStep step, uint64_t bytes)
{
    // Either every step has a size or none has: MessageProgram finds sizes by the number of the
    // step.
    NADI_CHECK(m_program.m_sizes.size() == m_program.m_steps.size());
    step.count = 1;
    Add(step);
    m_program.m_sizes.push_back(bytes);
}

/// Chunks are stored once one is not that of its place.
void
ProgramBuilder::NoteChunk(const ProgramStep& step, std::optional<uint32_t> chunk)
{
    const uint32_t rank = static_cast<uint32_t>(m_program.m_firstLane.size()) - 1;
    const bool isScratch = step.place >= m_program.m_buffers.ScratchBegin();
    // A place of scratch may hold any chunk, so the length does not follow from the place.
    NADI_CHECK(chunk || !isScratch);
    const auto usual = [&] { return ChunkAt(m_program.m_buffers, rank, step.place); };
    if (m_program.m_chunks.empty())
    {
        if (!isScratch && (!chunk || *chunk == usual()))
        {
            return;
        }
        FillChunks();
    }
    m_program.m_chunks.push_back(chunk ? *chunk : usual());
}

void
ProgramBuilder::FillChunks()
{
    // All steps so far work on the chunks of their places: NoteChunk calls this at the first step
    // that does not.
    m_program.m_chunks.reserve(m_program.m_steps.capacity());
    for (uint32_t rank = 0; rank < m_program.m_firstStep.size(); ++rank)
    {
        const bool isLast = rank + 1 == m_program.m_firstStep.size();
        const size_t end = isLast ? m_program.m_steps.size() : m_program.m_firstStep[rank + 1];
        for (size_t step = m_program.m_firstStep[rank]; step < end; ++step)
        {
            m_program.m_chunks.push_back(
                ChunkAt(m_program.m_buffers, rank, m_program.m_steps[step].place));
        }
    }
}

MessageProgram
ProgramBuilder::Finish() &&
{
    NADI_CHECK(m_program.m_firstLane.size() == m_program.m_buffers.ranks);
    m_program.m_firstLane.push_back(static_cast<uint32_t>(m_program.m_lanes.size()));
    m_program.m_firstStep.push_back(m_program.m_steps.size());
    return std::move(m_program);
}

} // namespace nadi
