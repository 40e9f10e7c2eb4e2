// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_LINK_TIMES_H
#define FABRIC_LINK_TIMES_H

#include "fabric-cut-through.h"
#include "fabric-link-plan.h"
#include "fabric-transmit-time.h"

#include "ns3/fabric-time.h"

#include <algorithm>
#include <cstdint>
#include <memory>

namespace ns3
{

class FabricPort;

/// \ingroup fabric
/// When frames that start on one direction of a link end, and when the node at the far end acts on
/// them: rate, delay and faults of the link, and where that node cuts through. In picoseconds.
///
/// A healthy link always has its usual rate; faults may change the rate at some times
/// (FabricLinkPlan). The rate at a frame's start holds for the whole frame.
///
/// Where the clock ends before a result, the fabric is told, and the call does not return.
class FabricLinkTimes
{
  public:
    /// Of the frames that leave by `port`, which outlives it.
    explicit FabricLinkTimes(const FabricPort& port)
        : m_port(port)
    {
    }

    /// In bits per second, above 0. Frames that have started keep the rate before.
    void SetUsualRate(uint64_t rate)
    {
        m_usualRate = rate;
        m_transmitTime = FabricTransmitTime(rate);
    }

    /// From a frame's end to its arrival: of the channel and of the node at the far end.
    void SetDelay(int64_t delay)
    {
        m_delay = delay;
    }

    /// How the node at the far end cuts through. Requires: the usual rate is set.
    void SetCutThrough(const FabricCutThrough& cutThrough)
    {
        m_cutThrough = cutThrough;
        m_headBytes = cutThrough.GetHeadBytes(m_usualRate);
    }

    /// \return Whether it is the first.
    bool AddFault(const FabricLinkFault& fault);

    /// Null without faults.
    const FabricLinkPlan* GetPlan() const
    {
        return m_plan.get();
    }

    int64_t GetDelay() const
    {
        return m_delay;
    }

    /// After how many bytes of a frame the peer may pass it on while the link is healthy; 0: after
    /// all of it.
    uint32_t GetHeadBytes() const
    {
        return m_headBytes;
    }

    /// Bits per second of the healthy link.
    uint64_t GetUsualRate() const
    {
        return m_usualRate;
    }

    /// Bits per second of a frame that starts then.
    uint64_t GetRateAt(int64_t start) const
    {
        return m_plan ? m_plan->GetRate(start, m_usualRate) : m_usualRate;
    }

    /// Bits per second of the fastest frame that may ever start.
    uint64_t FindHighestRate() const;

    /// time + span.
    int64_t Add(int64_t time, int64_t span) const
    {
        const int64_t sum = FabricAddTime(time, span);
        if (sum == FABRIC_CLOCK_END)
        {
            ReportClockEnd();
        }
        return sum;
    }

    /// How long a frame occupies the healthy link.
    int64_t ComputeTransmitTime(uint32_t bytes) const
    {
        return m_transmitTime(bytes);
    }

    /// When the peer's node acts on a frame that starts on the healthy link at `time`: when it has
    /// come whole, or its first bytes where the node cuts through.
    int64_t AddTransferTime(int64_t time, uint32_t bytes) const
    {
        const uint32_t awaited = m_headBytes == 0 ? bytes : std::min(m_headBytes, bytes);
        return Add(Add(time, m_transmitTime(awaited)), m_delay);
    }

    /// When the transmission of a frame ends that starts at `start`.
    int64_t ComputeEnd(uint32_t bytes, int64_t start) const
    {
        return Add(start, m_plan ? ComputePlannedTime(bytes, start) : m_transmitTime(bytes));
    }

    /// When the peer's node acts on a frame that starts at `start`.
    int64_t ComputeArrival(uint32_t bytes, int64_t start) const
    {
        // A node that cuts through acts on a frame as soon as its first bytes have come.
        const uint32_t head = GetHeadBytesAt(start);
        return Add(ComputeEnd(head == 0 ? bytes : std::min(head, bytes), start), m_delay);
    }

    /// The same where the end of its transmission is known.
    int64_t ComputeArrival(uint32_t bytes, int64_t start, int64_t end) const
    {
        return GetHeadBytesAt(start) == 0 ? Add(end, m_delay) : ComputeArrival(bytes, start);
    }

  private:
    [[noreturn]] void ReportClockEnd() const;
    int64_t ComputePlannedTime(uint32_t bytes, int64_t start) const;

    /// GetHeadBytes of a frame that starts at `start`, faults regarded. Frames stay in order: one
    /// that is stored has come whole at its end, and the next one starts no sooner.
    uint32_t GetHeadBytesAt(int64_t start) const
    {
        return m_plan ? m_cutThrough.GetHeadBytes(GetRateAt(start)) : m_headBytes;
    }

    // What each frame reads comes first.
    int64_t m_delay = 0;
    std::unique_ptr<FabricLinkPlan> m_plan;
    uint32_t m_headBytes = 0;
    FabricTransmitTime m_transmitTime;
    uint64_t m_usualRate = 0;
    FabricCutThrough m_cutThrough;
    const FabricPort& m_port;
};

} // namespace ns3

#endif /* FABRIC_LINK_TIMES_H */
