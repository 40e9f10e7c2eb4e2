// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

namespace nadi
{

/// Second word of a timer's EventOrder, upper half: the timers of one rank and instant run in this
/// order. The layers above number theirs below these.
enum class SystemTimer : uint32_t
{
    MessageUsable = 0x100, ///< a collective's message is past the endpoint delay
    ReceiveCompletion,     ///< of a receive between two ranks
    SendCompletion,        ///< of a send to oneself
    CollectiveStart,       ///< slots are granted
    EarlyPhase,            ///< chunk phases begin before their turn
    MessageTurn,           ///< messages leave that the terms of the library held back
    CollectiveEnd,         ///< of a member, by the library later than its last phase
    MemoryServed,          ///< a memory of the network has read or written a slice
};

/// The second word of an EventOrder.
constexpr uint64_t
TimerWord(SystemTimer timer, uint32_t detail = 0)
{
    return uint64_t{static_cast<uint32_t>(timer)} << 32 | detail;
}

} // namespace nadi
