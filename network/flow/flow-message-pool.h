// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/flow/queue-pair-table.h"
#include "network/message.h"

#include <cstdint>
#include <tuple>
#include <vector>

namespace nadi
{

/// A message between its Send and its delivery.
struct FlowMessage
{
    Message message;
    SimTime sent;
    uint32_t pair = 0;                   ///< its queue pair
    uint32_t next = FlowQueuePair::NONE; ///< the message after it in the queue pair
};

/// The messages in flight, at places that are used again.
class FlowMessagePool
{
  public:
    uint32_t Add(const FlowMessage& message)
    {
        if (m_free.empty())
        {
            m_messages.push_back(message);
            return static_cast<uint32_t>(m_messages.size() - 1);
        }
        const uint32_t place = m_free.back();
        m_free.pop_back();
        m_messages[place] = message;
        return place;
    }

    FlowMessage Take(uint32_t place)
    {
        m_free.push_back(place);
        return m_messages[place];
    }

    /// Valid until the next Add.
    FlowMessage& operator[](uint32_t place)
    {
        return m_messages[place];
    }

    /// Of messages with the same ends: the order of docs/semantics.md 1, T4.
    bool IsBefore(uint32_t a, uint32_t b) const
    {
        const Message& first = m_messages[a].message;
        const Message& second = m_messages[b].message;
        return std::tie(first.stream, first.key) < std::tie(second.stream, second.key);
    }

  private:
    std::vector<FlowMessage> m_messages;
    std::vector<uint32_t> m_free;
};

} // namespace nadi
