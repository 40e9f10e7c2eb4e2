// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "network/message.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace nadi
{

/// What a message between two ranks carries. Messages of one kind wait for each other in a queue
/// pair of their two ranks; those of different kinds do not.
enum class MessageKind : uint8_t
{
    Pipeline, ///< activations and gradients, and all that nobody gave a kind
    Kv,       ///< keys and values of attention
    Dispatch, ///< tokens to their experts
    Combine,  ///< results of experts
    Memory,   ///< to and from memories
};

inline constexpr std::array MESSAGE_KINDS{MessageKind::Pipeline,
                                          MessageKind::Kv,
                                          MessageKind::Dispatch,
                                          MessageKind::Combine,
                                          MessageKind::Memory};

/// "pipeline", "kv", "dispatch", "combine", "memory".
std::string_view ToText(MessageKind kind);

/// None: no kind has that name.
std::optional<MessageKind> FindMessageKind(std::string_view name);

/// The stream of messages of that kind between two ranks.
constexpr StreamId
StreamOf(MessageKind kind)
{
    return kind == MessageKind::Pipeline
               ? POINT_TO_POINT_STREAM
               : StreamId{FIRST_KIND_STREAM.value + static_cast<uint64_t>(kind)};
}

/// None: the stream is not of messages between two ranks.
constexpr std::optional<MessageKind>
MessageKindOf(StreamId stream)
{
    if (!IsPointToPointStream(stream))
    {
        return std::nullopt;
    }
    return stream == POINT_TO_POINT_STREAM
               ? MessageKind::Pipeline
               : static_cast<MessageKind>(stream.value - FIRST_KIND_STREAM.value);
}

} // namespace nadi
