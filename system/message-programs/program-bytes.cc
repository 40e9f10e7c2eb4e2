// SPDX-License-Identifier: GPL-2.0-only
#include "system/message-programs/program-bytes.h"

#include "common/check.h"
#include "system/message-programs/program-builder.h"
#include "system/message-programs/program-channels.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

// A program in words: six for the buffers; for each rank the number of its lanes; for each lane
// four (its two peers, its channel, the number of its steps); for each step five (place, action and
// count, operand, the step that it waits for, chunk). The reader trusts none of them. Where the
// bytes do not hold as many lanes or steps as a word says, the reading ends with the bytes, and
// nothing of the size that the word says has been made.

constexpr uint32_t WORD_BYTES = 4;
constexpr uint32_t COUNT_BITS = 24;
constexpr uint32_t MOST_CHANNEL = (1U << 24) - 1;

bool
IsMessage(const ProgramStep& step)
{
    return step.Sends() || step.Receives();
}

void
Put(std::string& bytes, uint32_t word)
{
    for (uint32_t byte = 0; byte < WORD_BYTES; ++byte)
    {
        bytes.push_back(static_cast<char>(word >> (8 * byte) & 0xffU));
    }
}

void
PutLane(std::string& bytes, const MessageProgram& program, const ProgramLaneId& id)
{
    const ProgramLane& lane = program.LaneAt(id.rank, id.lane);
    const auto steps = program.StepsOf(id.rank, id.lane);
    for (const uint32_t word :
         {lane.sendPeer, lane.receivePeer, lane.channel, static_cast<uint32_t>(steps.size())})
    {
        Put(bytes, word);
    }
    for (uint32_t index = 0; index < steps.size(); ++index)
    {
        const ProgramStep& step = steps[index];
        Put(bytes, step.place);
        Put(bytes, static_cast<uint32_t>(step.action) << COUNT_BITS | step.count);
        Put(bytes, IsMessage(step) ? 0 : step.operand); // the builder numbers messages
        Put(bytes, step.after);
        Put(bytes, program.ChunkOf(id.rank, lane.firstStep + index));
    }
}

/// Reads words, and knows whether there were enough.
class ProgramReader
{
  public:
    explicit ProgramReader(std::string_view bytes)
        : m_bytes(bytes)
    {
    }

    std::optional<MessageProgram> Read()
    {
        const std::optional<ProgramBuffers> buffers = ReadBuffers();
        if (!buffers)
        {
            return std::nullopt;
        }
        m_buffers = *buffers;
        // A step is five words, so the bytes that are there bound the steps for which the builder
        // reserves memory.
        ProgramBuilder builder(m_buffers, m_bytes.size() / (5 * WORD_BYTES));
        for (uint32_t rank = 0; rank < m_buffers.ranks; ++rank)
        {
            builder.BeginRank();
            if (!ReadRank(builder))
            {
                return std::nullopt;
            }
        }
        const bool isWhole = !m_isShort && m_bytes.empty();
        return isWhole ? std::optional(std::move(builder).Finish()) : std::nullopt;
    }

  private:
    uint32_t Next()
    {
        if (m_bytes.size() < WORD_BYTES)
        {
            m_isShort = true;
            return 0;
        }
        uint32_t word = 0;
        for (uint32_t byte = 0; byte < WORD_BYTES; ++byte)
        {
            word |= uint32_t{static_cast<unsigned char>(m_bytes[byte])} << (8 * byte);
        }
        m_bytes.remove_prefix(WORD_BYTES);
        return word;
    }

    std::optional<ProgramBuffers> ReadBuffers()
    {
        const uint32_t type = Next();
        ProgramBuffers buffers;
        buffers.ranks = Next();
        buffers.root = Next();
        buffers.chunks = Next();
        const uint32_t isInPlace = Next();
        buffers.scratch = Next();
        if (m_isShort || type > static_cast<uint32_t>(CollectiveType::Barrier))
        {
            return std::nullopt;
        }
        buffers.type = static_cast<CollectiveType>(type);
        buffers.isInPlace = isInPlace == 1;
        const uint64_t places =
            uint64_t{buffers.chunks} * (buffers.isInPlace ? 1 : 2) + buffers.scratch;
        // Each rank has a word at least.
        const bool isPossible = buffers.ranks > 0 && buffers.ranks <= m_bytes.size() / WORD_BYTES &&
                                buffers.root < buffers.ranks && buffers.chunks > 0 &&
                                isInPlace <= 1 && places <= UINT32_MAX;
        const bool isCut =
            isPossible && (!IsCutByRank(buffers.type) || buffers.chunks % buffers.ranks == 0);
        return isCut ? std::optional(buffers) : std::nullopt;
    }

    bool ReadRank(ProgramBuilder& builder)
    {
        const uint32_t lanes = Next();
        uint32_t lastAfter = 0; // the greatest number of a step that one waits for, and one more
        for (uint32_t lane = 0; lane < lanes && !m_isShort; ++lane)
        {
            if (!ReadLane(builder, lastAfter))
            {
                return false;
            }
        }
        // A step may wait for a step of a later lane, so whether that exists is known only at the
        // end of the rank.
        return !m_isShort && lastAfter <= builder.NextStep();
    }

    bool ReadLane(ProgramBuilder& builder, uint32_t& lastAfter)
    {
        ProgramLane lane;
        lane.sendPeer = Next();
        lane.receivePeer = Next();
        lane.channel = Next();
        const uint32_t steps = Next();
        if (m_isShort || lane.channel > MOST_CHANNEL)
        {
            return false;
        }
        builder.BeginLane(lane);
        for (uint32_t index = 0; index < steps; ++index)
        {
            ProgramStep step;
            step.place = Next();
            const uint32_t action = Next();
            step.count = action & ((1U << COUNT_BITS) - 1);
            step.operand = Next();
            step.after = Next();
            const uint32_t chunk = Next();
            const uint32_t kind = action >> COUNT_BITS;
            if (m_isShort || kind > static_cast<uint32_t>(ProgramStep::Action::Nothing))
            {
                return false;
            }
            step.action = static_cast<ProgramStep::Action>(kind);
            if (!IsPossible(step, lane, chunk))
            {
                return false;
            }
            lastAfter =
                step.after == ProgramStep::NONE ? lastAfter : std::max(lastAfter, step.after + 1);
            builder.Add(step, chunk);
        }
        return true;
    }

    /// What ProgramBuilder requires.
    bool IsPossible(const ProgramStep& step, const ProgramLane& lane, uint32_t chunk) const
    {
        const uint32_t places = m_buffers.Places();
        const auto fits = [&](uint32_t place)
        { return place < places && step.count > 0 && step.count <= places - place; };
        // The writer puts 0 for the number of a message. Another word would be lost, so that two
        // different files would hold the same program.
        const bool isNumbered = IsMessage(step) && step.operand != 0;
        const bool hasPlaces = IsMessage(step) || step.IsLocal();
        const bool isInBuffers = fits(step.place) && (!step.IsLocal() || fits(step.operand));
        // Even a step that works on no place names one, whose chunk the builder looks up.
        return !isNumbered && (!hasPlaces || isInBuffers) && chunk < m_buffers.chunks &&
               (hasPlaces || step.place < places) &&
               (!step.Sends() || lane.sendPeer < m_buffers.ranks) &&
               (!step.Receives() || lane.receivePeer < m_buffers.ranks);
    }

    std::string_view m_bytes;
    bool m_isShort = false;
    ProgramBuffers m_buffers;
};

} // namespace

std::string
WriteProgramBytes(const MessageProgram& program)
{
    NADI_CHECK(!program.HasSizes());
    const ProgramBuffers& buffers = program.Buffers();
    std::string bytes;
    for (const uint32_t word : {static_cast<uint32_t>(buffers.type),
                                buffers.ranks,
                                buffers.root,
                                buffers.chunks,
                                buffers.isInPlace ? 1U : 0U,
                                buffers.scratch})
    {
        Put(bytes, word);
    }
    for (uint32_t rank = 0; rank < buffers.ranks; ++rank)
    {
        Put(bytes, program.LaneCount(rank));
        for (uint32_t lane = 0; lane < program.LaneCount(rank); ++lane)
        {
            PutLane(bytes, program, {rank, lane});
        }
    }
    return bytes;
}

std::optional<MessageProgram>
ReadProgramBytes(std::string_view bytes)
{
    return ProgramReader(bytes).Read();
}

} // namespace nadi
