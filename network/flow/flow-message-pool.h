// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/slot-pool.h"
#include "network/flow/queue-pair-table.h"
#include "network/message.h"

#include <cstdint>
#include <tuple>

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

/// The messages in flight.
class FlowMessagePool : public SlotPool<FlowMessage>
{
  public:
    /// Of messages with the same ends: the order of docs/semantics.md 1, T4.
    bool IsBefore(uint32_t a, uint32_t b) const
    {
        const Message& first = (*this)[a].message;
        const Message& second = (*this)[b].message;
        return std::tie(first.stream, first.key) < std::tie(second.stream, second.key);
    }
};

} // namespace nadi
