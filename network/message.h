// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/units.h"

#include <compare>
#include <cstdint>
#include <optional>

namespace nadi
{

/// What a queue pair carries besides its two ends: one collective (communicator, k-th call), or
/// the point-to-point traffic (value 0, and those of FIRST_KIND_STREAM). An identity, the same on
/// every rank.
using StreamId = Id<struct StreamTag, uint64_t>;

constexpr StreamId POINT_TO_POINT_STREAM{0};

/// The stream of the `call`-th collective (from 0) of a communicator.
constexpr StreamId
MakeCollectiveStream(CommunicatorId communicator, uint32_t call)
{
    return StreamId{(uint64_t{communicator.value} << 32) + call + 1};
}

/// Streams of point-to-point traffic of kinds of its own (message-kind.h) have this number or up to
/// 255 more. No communicator has a stream there, as there are fewer than 2^24 - 1.
constexpr StreamId FIRST_KIND_STREAM{((uint64_t{1} << 24) - 1) << 32};

/// Whether the stream carries messages that one rank sends to another, of any kind.
constexpr bool
IsPointToPointStream(StreamId stream)
{
    return stream == POINT_TO_POINT_STREAM || (stream.value >> 8) == (FIRST_KIND_STREAM.value >> 8);
}

/// What of a stream the ways of its messages depend on: 0 for point-to-point traffic, else 1 + the
/// communicator. Real queue pairs live as long as their communicator, so all its calls use them;
/// point-to-point traffic of a kind has queue pairs of its own, and so ways.
constexpr uint64_t
WayIdentity(StreamId stream)
{
    if (IsPointToPointStream(stream))
    {
        return stream.value;
    }
    return (stream.value >> 32) + 1;
}

/// Streams of trees have this number or a larger one, and so have those of remote memory: they need
/// no acknowledgements where nothing can be lost.
constexpr StreamId FIRST_TREE_STREAM{uint64_t{1} << 56};

/// How many trees have streams of their own.
constexpr uint32_t MOST_TREE_STREAMS = 254;

/// The stream of what a collective sends over its tree number `tree` (FindAggregationTrees), below
/// MOST_TREE_STREAMS. Requires: fewer than 2^24 - 1 communicators.
constexpr StreamId
MakeTreeStream(StreamId collective, uint32_t tree)
{
    return StreamId{collective.value | (tree + uint64_t{1}) * FIRST_TREE_STREAM.value};
}

/// Streams of remote memory: a load's requests and what answers them; the data of stores. They are
/// two, so that requests do not wait in a queue pair for the data of stores.
constexpr StreamId MEMORY_LOAD_STREAM{uint64_t{255} << 56};
constexpr StreamId MEMORY_STORE_STREAM{MEMORY_LOAD_STREAM.value + 1};

/// The stream of the `call`-th access of a communicator to remote memory. Collectives have numbers
/// below. Requires: call < 2^31 - 1.
constexpr StreamId
MakeGroupMemoryStream(CommunicatorId communicator, uint32_t call)
{
    constexpr uint32_t first = uint32_t{1} << 31;
    return MakeCollectiveStream(communicator, first + call);
}

/// Whether the stream is one of MakeGroupMemoryStream, or of one and a tree.
constexpr bool
IsGroupMemoryStream(StreamId stream)
{
    constexpr uint32_t first = uint32_t{1} << 31;
    return stream<MEMORY_LOAD_STREAM&& static_cast<uint32_t>(stream.value)> first;
}

constexpr bool
IsMemoryStream(StreamId stream)
{
    return stream >= MEMORY_LOAD_STREAM || IsGroupMemoryStream(stream);
}

/// The tree that the stream belongs to, if it is that of one.
constexpr std::optional<uint32_t>
TreeOf(StreamId stream)
{
    if (stream >= MEMORY_LOAD_STREAM)
    {
        return std::nullopt;
    }
    const auto number = static_cast<uint32_t>(stream.value >> 56);
    return number == 0 ? std::nullopt : std::optional(number - 1);
}

/// Names a message within (stream, source, destination); orders simultaneous deliveries.
/// Collectives: major = chunk << 32 | line << 10 | phase, minor = stage << 56 | channel << 32 | tag
/// of the plan; line is 0 but between two switches that compute (PhaseTask::PhaseWith).
/// Point-to-point: major = tag of the trace, minor = how many sends had that tag before.
/// Remote memory: major = node of the trace, minor = slice. Of a group: as of collectives, with the
/// number of the memory as the phase.
struct MessageKey
{
    uint64_t major = 0;
    uint64_t minor = 0;

    auto operator<=>(const MessageKey&) const = default;
};

/// One message from an endpoint to another: an NPU, which sends and receives for its rank, a switch
/// that computes, or a memory.
struct Message
{
    VertexId source;
    VertexId destination; ///< differs from source
    Bytes size;           ///< payload; 0 still costs one frame of header
    StreamId stream;
    MessageKey key;
    uint64_t token = 0; ///< the sender's own; comes back in the delivery
    Bytes overhead{};   ///< of the sender's protocol, such as flags: carried, but no payload

    /// What frames are cut from.
    Bytes Carried() const
    {
        return size + overhead;
    }
};

/// The last byte of a message has arrived at its destination.
struct Delivery
{
    Message message;
    SimTime sent;                 ///< when Send was called
    SimTime delivered;            ///< now
    uint32_t retransmissions = 0; ///< frames that its queue pair had sent again by then
};

/// Who is told about deliveries.
class DeliveryListener
{
  public:
    virtual ~DeliveryListener() = default;
    /// Order: at the end of the instant, by (destination, source, stream, key); see EventLoop.
    virtual void OnMessageDelivered(const Delivery& delivery) = 0;

    /// OnMessageDelivered will be called with the message soon; see EventHandler::Expect.
    virtual void ExpectDelivery(const Message& /*message*/) const
    {
    }
};

} // namespace nadi
