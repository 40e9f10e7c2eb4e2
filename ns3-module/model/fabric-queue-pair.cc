// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-queue-pair.h"

#include "ns3/abort.h"

namespace ns3
{

FabricQueuePair::FabricQueuePair(const FabricQueuePairKey& key, const FabricFraming& framing)
    : m_key(key)
    , m_framing(framing)
{
}

void
FabricQueuePair::Post(uint64_t size, uint64_t cookie)
{
    NS_ABORT_MSG_IF(m_closed, "message posted on a closed stream " << m_key.stream);
    m_messages.PushBack({size, cookie});
}

FabricFrame
FabricQueuePair::TakeFrame()
{
    const uint32_t payload = ComputeNextPayload();
    FabricFrame frame;
    frame.sequence = m_startedFrames++;
    frame.flow = m_flow;
    frame.wireBytes = ComputeWireBytes(payload);
    m_sentBytes += payload;
    if (m_sentBytes == m_messages[m_sentMessages].size)
    {
        frame.position = FabricFramePosition::LastOfMessage;
        ++m_sentMessages;
        m_sentBytes = 0;
    }
    return frame;
}

uint64_t
FabricQueuePair::DeliverMessage()
{
    NS_ABORT_MSG_IF(m_sentMessages == 0, "a message was delivered before it was sent");
    const uint64_t cookie = m_messages.Front().cookie;
    m_messages.PopFront();
    --m_sentMessages;
    return cookie;
}

} // namespace ns3
