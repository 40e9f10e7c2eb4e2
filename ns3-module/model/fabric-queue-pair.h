// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_QUEUE_PAIR_H
#define FABRIC_QUEUE_PAIR_H

#include "fabric-frame.h"
#include "fabric-ring-buffer.h"

#include <cstdint>
#include <tuple>

namespace ns3
{

/// \ingroup fabric
/// Names a queue pair at its NIC. An identity, never a counter of creation; its order is the order
/// of turns at the port.
struct FabricQueuePairKey
{
    uint64_t stream = 0;
    uint32_t destination = 0; ///< index of the receiving NIC in the Fabric

    bool operator<(const FabricQueuePairKey& other) const
    {
        return std::tie(stream, destination) < std::tie(other.stream, other.destination);
    }
};

/// \ingroup fabric
/// How a NIC cuts messages into frames.
struct FabricFraming
{
    uint32_t payload = 4096; ///< of a full frame; > 0
    uint32_t header = 64;    ///< added to every data frame
};

/// \ingroup fabric
/// The messages from one NIC to another on one stream, in the order they were posted.
///
/// Both ends of the simulated connection look at this one object, which the sending NIC owns. No
/// frame exists before it starts on the wire. All frames of a message are full but the last; an
/// empty message is one frame of header.
///
/// Holds: messages posted = waiting or being sent + sent and undelivered + delivered, and each
/// frame started has a number below the next one.
class FabricQueuePair
{
  public:
    FabricQueuePair(const FabricQueuePairKey& key, const FabricFraming& framing);

    const FabricQueuePairKey& GetKey() const
    {
        return m_key;
    }

    /// Index of the flow record in the Fabric.
    uint32_t GetFlow() const
    {
        return m_flow;
    }

    /// Requires: called before the first frame starts.
    void SetFlow(uint32_t flow)
    {
        m_flow = flow;
    }

    void Post(uint64_t size, uint64_t cookie);

    /// Whether a frame may start now. Congestion windows and pacing decide here.
    bool HasFrame() const
    {
        return m_sentMessages < m_messages.GetSize();
    }

    /// Wire bytes of the frame that would start next. Requires: HasFrame().
    uint32_t PeekBytes() const
    {
        return ComputeWireBytes(ComputeNextPayload());
    }

    /// Starts the next frame. Requires: HasFrame().
    FabricFrame TakeFrame();

    /// The last frame of the oldest undelivered message has arrived: its cookie.
    /// Requires: such a message was sent.
    uint64_t DeliverMessage();

    /// `frames` data frames of this queue pair are known to have arrived.
    void Acknowledge(uint64_t frames)
    {
        m_acknowledgedFrames = frames;
    }

    /// No message will be posted any more.
    void Close()
    {
        m_closed = true;
    }

    bool IsClosed() const
    {
        return m_closed;
    }

    /// Whether nothing will ever happen to it again: closed, all delivered, all acknowledged.
    bool IsFinished() const
    {
        return m_closed && m_messages.IsEmpty() && m_acknowledgedFrames == m_startedFrames;
    }

  private:
    struct PostedMessage
    {
        uint64_t size = 0;
        uint64_t cookie = 0;
    };

    /// The payload of the next frame. Requires: HasFrame().
    uint32_t ComputeNextPayload() const
    {
        const uint64_t rest = m_messages[m_sentMessages].size - m_sentBytes;
        return rest < m_framing.payload ? static_cast<uint32_t>(rest) : m_framing.payload;
    }

    /// At least one byte, so that an empty message without a header takes time too.
    uint32_t ComputeWireBytes(uint32_t payload) const
    {
        const uint32_t bytes = payload + m_framing.header;
        return bytes == 0 ? 1 : bytes;
    }

    FabricQueuePairKey m_key;
    FabricFraming m_framing;
    uint32_t m_flow = 0;
    bool m_closed = false;
    FabricRingBuffer<PostedMessage> m_messages; ///< undelivered, oldest first
    std::size_t m_sentMessages = 0;             ///< of them, those whose frames have all started
    uint64_t m_sentBytes = 0;                   ///< payload started of the message after those
    uint64_t m_startedFrames = 0;
    uint64_t m_acknowledgedFrames = 0;
};

} // namespace ns3

#endif /* FABRIC_QUEUE_PAIR_H */
