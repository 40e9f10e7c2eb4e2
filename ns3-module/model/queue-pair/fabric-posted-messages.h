// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_POSTED_MESSAGES_H
#define FABRIC_POSTED_MESSAGES_H

#include "ns3/fabric-ring-buffer.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace ns3
{

/// \ingroup fabric
/// A message that was posted and is not acknowledged in full. Frames and bytes are counted over all
/// messages of the queue pair: with 1000 B in a frame, a message of 2500 B is frames 0 to 2, and
/// the next one begins at frame 3 and byte 2500.
struct FabricPostedMessage
{
    uint64_t firstFrame = 0;
    uint64_t frames = 0;
    uint64_t firstByte = 0; ///< of payload, counted from the opening
    uint64_t size = 0;
    uint64_t cookie = 0;

    uint64_t EndFrame() const
    {
        return firstFrame + frames;
    }
};

/// \ingroup fabric
/// The messages of a queue pair, first in, first out.
///
/// Most queue pairs of a collective have one message at a time. The oldest is in the object, so
/// that these need no further memory; that of the others is given back with the last message.
class FabricPostedMessages
{
  public:
    bool IsEmpty() const
    {
        return m_size == 0;
    }

    std::size_t GetSize() const
    {
        return m_size;
    }

    /// The `index`-th oldest. Requires: index < GetSize().
    const FabricPostedMessage& operator[](std::size_t index) const
    {
        return index == 0 ? m_oldest : (*m_others)[index - 1];
    }

    /// The oldest. Requires: not empty.
    const FabricPostedMessage& Front() const
    {
        return m_oldest;
    }

    void PushBack(const FabricPostedMessage& message)
    {
        if (m_size++ == 0)
        {
            m_oldest = message;
            return;
        }
        if (!m_others)
        {
            m_others = std::make_unique<FabricRingBuffer<FabricPostedMessage>>();
        }
        m_others->PushBack(message);
    }

    /// Drops the oldest. Requires: not empty.
    void PopFront()
    {
        if (--m_size == 0)
        {
            m_others = nullptr;
            return;
        }
        m_oldest = m_others->Front();
        m_others->PopFront();
    }

  private:
    FabricPostedMessage m_oldest;
    std::unique_ptr<FabricRingBuffer<FabricPostedMessage>> m_others; ///< null: there were none
    uint32_t m_size = 0;
};

} // namespace ns3

#endif /* FABRIC_POSTED_MESSAGES_H */
