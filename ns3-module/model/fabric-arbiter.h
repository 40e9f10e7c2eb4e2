// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_ARBITER_H
#define FABRIC_ARBITER_H

#include "fabric-frame.h"
#include "fabric-ring-buffer.h"
#include "fabric-round-robin.h"

#include <cstddef>
#include <cstdint>
#include <limits>

namespace ns3
{

/// \ingroup fabric
/// Frames of one priority that wait at a port.
///
/// Order: by arrival; arrivals of one instant by ingress port. One ingress cannot deliver two
/// frames at one instant, so the order depends on nothing else.
class FabricFrameQueue
{
  public:
    bool IsEmpty() const
    {
        return m_frames.IsEmpty();
    }

    uint64_t GetBytes() const
    {
        return m_bytes;
    }

    const FabricFrame& Front() const
    {
        return m_frames.Front();
    }

    /// Requires: none of the frames that arrived at `now` has been taken.
    void Insert(const FabricFrame& frame, int64_t now);

    FabricFrame Take();

  private:
    FabricRingBuffer<FabricFrame> m_frames;
    uint64_t m_bytes = 0;
    int64_t m_instant = std::numeric_limits<int64_t>::min(); ///< of the latest arrival
    std::size_t m_newcomers = 0;                             ///< that arrived at m_instant
};

/// \ingroup fabric
/// What waits at an output port, and in which order it starts.
///
/// Order: control frames first (strict priority); then frames in transit and the local queue pairs
/// alternate frame by frame while both wait, transit first; local queue pairs take turns as
/// FabricRoundRobin says. The port alone decides when a frame starts.
class FabricArbiter
{
  public:
    bool IsEmpty() const
    {
        return m_control.IsEmpty() && m_transit.IsEmpty() && m_local.IsEmpty();
    }

    /// Bytes of the whole frames that wait; those still in queue pairs do not count.
    uint64_t GetWaitingBytes() const
    {
        return m_control.GetBytes() + m_transit.GetBytes();
    }

    void Insert(const FabricFrame& frame, int64_t now)
    {
        (frame.priority == FabricPriority::Control ? m_control : m_transit).Insert(frame, now);
    }

    /// Lets a local queue pair take part. Requires: it has a frame.
    void Activate(FabricQueuePair& queuePair)
    {
        m_local.Activate(queuePair);
    }

    /// Wire bytes of the frame that Take() would give. Requires: not empty.
    uint32_t PeekBytes() const;

    /// Removes the frame that starts next. Requires: not empty.
    FabricFrame Take();

  private:
    enum class Source : uint8_t
    {
        Control,
        Transit,
        Local,
    };

    Source Choose() const;

    FabricFrameQueue m_control;
    FabricFrameQueue m_transit;
    FabricRoundRobin m_local;
    Source m_lastData = Source::Local; ///< so that transit goes first
};

} // namespace ns3

#endif /* FABRIC_ARBITER_H */
