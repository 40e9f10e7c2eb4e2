// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_PORT_COUNTERS_H
#define FABRIC_PORT_COUNTERS_H

#include "ns3/fabric-frame.h"

#include <cstdint>

namespace ns3
{

/// \ingroup fabric
/// What one direction of a link carried.
struct FabricPortCounters
{
    uint64_t wireBytes = 0;          ///< of all frames
    uint64_t dataFrames = 0;         ///< of any origin
    uint64_t ownDataFrames = 0;      ///< of the queue pairs of this very node
    uint64_t maxQueueBytes = 0;      ///< most bytes of whole frames that waited here
    uint64_t marks = 0;              ///< data frames that got their congestion mark here
    uint64_t pauses = 0;             ///< how often the peer made this port pause
    int64_t paused = 0;              ///< picoseconds during which some priority was paused
    uint64_t drops = 0;              ///< frames lost on the link, or for want of memory before it
    uint64_t retransmittedBytes = 0; ///< wire bytes of data frames sent again
    uint64_t ownRetransmissions = 0; ///< data frames sent again by this very node

    /// `times` frames like this one have started.
    void Add(const FabricFrame& frame, uint64_t times)
    {
        const uint64_t data = frame.IsData() ? times : 0;
        wireBytes += times * frame.wireBytes;
        dataFrames += data;
        ownDataFrames += frame.hop == 0 ? data : 0;
        if (frame.isRetransmission)
        {
            retransmittedBytes += times * frame.wireBytes;
            ownRetransmissions += frame.hop == 0 ? data : 0;
        }
    }

    /// What was added since they were `before`; the largest queue is kept.
    FabricPortCounters Since(const FabricPortCounters& before) const
    {
        FabricPortCounters gain = *this;
        gain.wireBytes -= before.wireBytes;
        gain.dataFrames -= before.dataFrames;
        gain.ownDataFrames -= before.ownDataFrames;
        gain.marks -= before.marks;
        gain.pauses -= before.pauses;
        gain.paused -= before.paused;
        gain.drops -= before.drops;
        gain.retransmittedBytes -= before.retransmittedBytes;
        gain.ownRetransmissions -= before.ownRetransmissions;
        return gain;
    }

    /// Whether frames came and went, and nothing else.
    bool IsPlain() const
    {
        return marks == 0 && pauses == 0 && drops == 0 && retransmittedBytes == 0;
    }

    /// As if this frame had not started.
    void Subtract(const FabricFrame& frame)
    {
        const uint64_t data = frame.IsData();
        wireBytes -= frame.wireBytes;
        dataFrames -= data;
        ownDataFrames -= frame.hop == 0 ? data : 0;
        if (frame.isRetransmission)
        {
            retransmittedBytes -= frame.wireBytes;
            ownRetransmissions -= frame.hop == 0 ? data : 0;
        }
    }
};

} // namespace ns3

#endif /* FABRIC_PORT_COUNTERS_H */
