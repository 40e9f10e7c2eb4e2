// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-framing.h"

#include <algorithm>

namespace ns3
{

const FabricPostedMessage&
FabricFraming::Post(uint64_t firstFrame, uint64_t size, uint64_t cookie)
{
    FabricPostedMessage message;
    message.firstFrame = firstFrame;
    message.frames = size == 0 ? 1 : (size + m_payload - 1) / m_payload;
    message.firstByte = m_postedBytes;
    message.size = size;
    message.cookie = cookie;
    m_messages.PushBack(message);
    m_postedBytes += size;
    return m_messages[m_messages.GetSize() - 1];
}

const FabricPostedMessage&
FabricFraming::FindMessage(uint64_t frame) const
{
    // The sender asks about the next frame, answers ask about the oldest one, and a recovery goes
    // back. So the search goes both ways from where the last one ended.
    while (m_messages[m_cursor].firstFrame > frame)
    {
        --m_cursor;
    }
    while (m_messages[m_cursor].EndFrame() <= frame)
    {
        ++m_cursor;
    }
    return m_messages[m_cursor];
}

uint64_t
FabricFraming::ComputeOffset(uint64_t frame) const
{
    const FabricPostedMessage& message = FindMessage(frame);
    return message.firstByte + (frame - message.firstFrame) * m_payload;
}

uint32_t
FabricFraming::ComputePayload(uint64_t frame) const
{
    const FabricPostedMessage& message = FindMessage(frame);
    const uint64_t rest = message.size - (frame - message.firstFrame) * m_payload;
    return static_cast<uint32_t>(std::min<uint64_t>(rest, m_payload));
}

uint64_t
FabricFraming::TakeDelivery(uint64_t acknowledged)
{
    const uint64_t cookie = m_messages[m_delivered++].cookie;
    ForgetAcknowledged(acknowledged);
    return cookie;
}

void
FabricFraming::ForgetAcknowledged(uint64_t acknowledged)
{
    while (m_delivered > 0 && m_messages.Front().EndFrame() <= acknowledged)
    {
        m_messages.PopFront();
        --m_delivered;
        // The cursor is a place in the list, and all places move up by one.
        m_cursor -= m_cursor > 0;
    }
}

} // namespace ns3
