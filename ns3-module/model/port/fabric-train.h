// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_TRAIN_H
#define FABRIC_TRAIN_H

#include "ns3/fabric-frame.h"
#include "ns3/fabric-time.h"

#include <cstdint>

namespace ns3
{

class FabricPort;

/// \ingroup fabric
/// A run of full frames of one message, with consecutive numbers, that arrive at a node at equal
/// distances. Never the last frame of its message.
///
/// Example: a NIC sends a message of ten frames, 0 to 9, over a switch. A frame takes 10 ps on a
/// link, and the delay is 5 ps.
/// * Frame 0 starts at 0 and arrives at the switch by an event, at 15. By then frame 1 has started,
///   at 10; it will arrive at 25. The NIC's port foretells frames 2 to 8: they start at 20, 30,
///   ..., 80.
/// * With frame 1, which is on the wire, that makes the train {next: 1, arrival: 25, gap: 10,
///   count: 8}. The switch's output port expects it, and takes frame k in at 15 + 10 k when it
///   settles. The promise that the NIC's port keeps is {next: 2, end: 9}: the frames that can still
///   be taken back.
/// * Frame 9 is the last of the message, so it must be seen. It arrives by an event, at 105. So the
///   link takes two events instead of ten.
/// * Say that another queue pair of the NIC becomes active at 47. The port settles: 2, 3 and 4 have
///   started (at 20, 30, 40), and the promise is {next: 5, end: 9}. CutTrain(end = 5) tells the
///   switch's port, which has taken in 1, 2 and 3 (at 25, 35, 45). It keeps frame 4, which comes at
///   55 as foretold, and forgets 5 to 8. These start at 50 or later, the first of them with an
///   event of its own.
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
/// What a port has told its peer's node about a flow: the frames from `next` to `end` - 1 start
/// here at the times that the train says, unless the promise is taken back. The two ends of one
/// train differ: a FabricPromise counts starts at the sending port, a FabricTrain counts arrivals
/// at the next node.
struct FabricPromise
{
    uint32_t flow = 0;
    uint64_t next = 0;            ///< the first frame that has not started
    uint64_t end = 0;             ///< the first frame that nothing was said about
    FabricPort* egress = nullptr; ///< which expects them, at the peer's node
};

} // namespace ns3

#endif /* FABRIC_TRAIN_H */
