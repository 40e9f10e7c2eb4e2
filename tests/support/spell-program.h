// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/message-programs/message-program.h"

#include <cstdint>
#include <vector>

namespace nadi::test
{

/// All that a program says, as numbers.
inline std::vector<uint64_t>
Spell(const MessageProgram& program)
{
    const ProgramBuffers& buffers = program.Buffers();
    std::vector<uint64_t> words{buffers.chunks, buffers.scratch, buffers.root};
    for (uint32_t rank = 0; rank < buffers.ranks; ++rank)
    {
        for (uint32_t index = 0; index < program.LaneCount(rank); ++index)
        {
            const ProgramLane& lane = program.LaneAt(rank, index);
            words.insert(words.end(), {rank, lane.sendPeer, lane.receivePeer, lane.channel});
            for (const ProgramStep& step : program.StepsOf(rank, index))
            {
                words.insert(words.end(),
                             {step.place,
                              step.count,
                              static_cast<uint64_t>(step.action),
                              step.operand,
                              step.after});
            }
        }
    }
    return words;
}

} // namespace nadi::test
