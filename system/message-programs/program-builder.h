// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/message-programs/message-program.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace nadi
{

/// Writes a program, rank by rank, lane by lane, step by step. It numbers messages.
class ProgramBuilder
{
  public:
    /// `steps` is how many there will be, if that is known; the program then takes no more memory
    /// than it needs.
    explicit ProgramBuilder(const ProgramBuffers& buffers, size_t steps = 0);

    /// The next rank; ranks without lanes are begun too.
    void BeginRank();

    /// The next lane of the rank. `lane.firstStep` is not read.
    void BeginLane(ProgramLane lane);

    /// The next step of the lane. `chunk`: which one `place` holds then, where that is not the one
    /// of its number (scratch); it makes the length.
    ///
    /// Requires: the places, and those of `operand`, lie in the buffers; the lane has a peer for
    /// what is sent or received. `operand` of messages is not read. `after` may name a step that
    /// comes later.
    void Add(ProgramStep step, std::optional<uint32_t> chunk = std::nullopt);

    /// The same for a message of `bytes`, or for work. Requires: all steps of the program are added
    /// so.
    void AddSized(ProgramStep step, uint64_t bytes);

    /// How many steps the rank has so far: the number of the next one.
    uint32_t NextStep() const
    {
        return static_cast<uint32_t>(m_program.m_steps.size() - m_program.m_firstStep.back());
    }

    /// Requires: all ranks were begun.
    MessageProgram Finish() &&;

  private:
    void NoteChunk(const ProgramStep& step, std::optional<uint32_t> chunk);
    void FillChunks();

    MessageProgram m_program;
    uint32_t m_sent = 0;     // by the lane
    uint32_t m_received = 0; // likewise
};

} // namespace nadi
