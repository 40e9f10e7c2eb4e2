// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_FRAMING_H
#define FABRIC_FRAMING_H

#include "fabric-posted-messages.h"

#include <cstdint>

namespace ns3
{

/// \ingroup fabric
/// How the messages of a queue pair are cut into frames: which message a frame belongs to, how many
/// bytes of payload it has, and which messages have arrived whole.
///
/// Frames are numbered from 0 over all messages. With a payload of 4096 B, a message of 10 000 B
/// has the frames 0 to 2, of which the last has 1808 B, and an empty message after it has frame 3.
///
/// A message is kept until it is both delivered and acknowledged, since the two ends share the
/// list: the receiver needs it to see the end of the message, the sender to send frames again. So
/// what is asked about a frame supposes that its message is kept still.
class FabricFraming
{
  public:
    /// `payload`: bytes of a full frame, above 0.
    explicit FabricFraming(uint32_t payload)
        : m_payload(payload)
    {
    }

    /// One more message, whose frames begin with number `firstFrame`.
    const FabricPostedMessage& Post(uint64_t firstFrame, uint64_t size, uint64_t cookie);

    /// Whether all messages are delivered and acknowledged.
    bool IsEmpty() const
    {
        return m_messages.IsEmpty();
    }

    /// Bytes of a full frame.
    uint32_t GetPayload() const
    {
        return m_payload;
    }

    /// Of all messages that were ever posted.
    uint64_t GetPostedBytes() const
    {
        return m_postedBytes;
    }

    const FabricPostedMessage& FindMessage(uint64_t frame) const;

    /// How many bytes of payload were posted before that frame, over all messages.
    uint64_t ComputeOffset(uint64_t frame) const;

    /// Bytes. Only the last frame of a message may have less than a full payload, and that of an
    /// empty message has none.
    uint32_t ComputePayload(uint64_t frame) const;

    /// Whether the oldest undelivered message has arrived whole: all frames before `expected` have.
    bool HasDelivery(uint64_t expected) const
    {
        return m_delivered < m_messages.GetSize() && m_messages[m_delivered].EndFrame() <= expected;
    }

    /// Its cookie; the message is delivered. `acknowledged`: as ForgetAcknowledged.
    /// Requires: HasDelivery().
    uint64_t TakeDelivery(uint64_t acknowledged);

    /// All frames before `acknowledged` are acknowledged.
    void ForgetAcknowledged(uint64_t acknowledged);

  private:
    FabricPostedMessages m_messages; ///< undelivered or unacknowledged, oldest first
    mutable uint32_t m_cursor = 0;   ///< where FindMessage looks first
    uint32_t m_delivered = 0;        ///< of the messages, how many were delivered
    uint32_t m_payload;
    uint64_t m_postedBytes = 0;
};

} // namespace ns3

#endif /* FABRIC_FRAMING_H */
