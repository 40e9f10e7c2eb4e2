// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_TRAIN_H
#define FABRIC_TRAIN_H

#include "fabric-frame.h"
#include "fabric-time.h"

#include <cstdint>

namespace ns3
{

class FabricPort;

/// \ingroup fabric
/// A run of full frames of one message, with consecutive numbers, that arrive at a node at equal
/// distances. Never the last frame of its message.
struct FabricTrain
{
    FabricFrame next;    ///< the first that has not arrived, as it is when it does
    int64_t arrival = 0; ///< of `next`, in picoseconds
    int64_t gap = 0;     ///< from one arrival to the following
    uint64_t count = 0;  ///< of frames that have not arrived

    /// The number after the last one's.
    uint64_t GetEnd() const
    {
        return next.sequence + count;
    }

    /// `frames` of them have arrived. What would arrive after the clock's end never does.
    /// Requires: frames <= count.
    void Advance(uint64_t frames)
    {
        next.sequence += frames;
        arrival = FabricAddTime(arrival, FabricMultiplyTime(frames, gap));
        count -= frames;
    }
};

/// \ingroup fabric
/// What a port has told its peer's node of a flow: the frames up to `end` start when foretold, as
/// long as it is not taken back.
struct FabricPromise
{
    uint32_t flow = 0;
    uint64_t next = 0;            ///< the first frame that has not started
    uint64_t end = 0;             ///< the first frame that nothing was said about
    FabricPort* egress = nullptr; ///< which expects them, at the peer's node
};

} // namespace ns3

#endif /* FABRIC_TRAIN_H */
