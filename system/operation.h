// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/units.h"
#include "network/message-kind.h"
#include "system/collective-type.h"
#include "system/exchange-splits.h"

#include <cstdint>
#include <optional>
#include <string>

namespace nadi
{

/// All members of a collective have called it.
struct MembersMet
{
    RankId rank; ///< who is told: one of them
    uint64_t token = 0;
    RankId last; ///< who called it last, of those who came at one instant the lowest
};

/// A receive has met its send: both were called.
struct ReceiveMatch
{
    RankId receiver;    ///< who is told
    uint64_t token = 0; ///< of the receive
    Bytes size;         ///< of the send; the receive's own may be left open
};

/// Who is told how the operations fare which a rank started.
class OperationListener
{
  public:
    virtual ~OperationListener() = default;
    /// Called from the event loop, exactly once per operation, never from inside the Start call.
    virtual void OnOperationCompleted(RankId rank, uint64_t token) = 0;

    /// Called from the event loop at the instant of the last call, exactly once per call, before
    /// its completion. It changes nothing of the operation, so nobody has to listen.
    virtual void OnMembersMet(const MembersMet&)
    {
    }

    /// Called for each call of a collective that waited for slots after its last call, and for no
    /// places on switches: from the event loop, at the instant when it has them and begins, before
    /// its completion. It changes nothing, likewise.
    virtual void OnSlotsGranted(RankId /*rank*/, uint64_t /*token*/)
    {
    }

    /// Called exactly once per receive, before its completion, at the later of the two calls and
    /// from inside that call: a remark for the listener's accounts, on which it may start nothing.
    /// A receive is in progress from then on (docs/semantics.md 8).
    virtual void OnReceiveMatched(const ReceiveMatch&)
    {
    }
};

/// A rank calls a collective. `token` comes back on completion; the engine of the workload uses
/// the node's index in the rank's graph.
struct CollectiveCall
{
    RankId rank;
    CommunicatorId communicator;
    uint32_t call =
        0; ///< how many calls of this communicator precede it in the rank's static order
    CollectiveType type = CollectiveType::AllReduce;
    uint64_t elements = 0;      ///< size in elements of the configured element-size
    std::optional<RankId> root; ///< of broadcast, reduce, gather, scatter; absent: first member
    uint64_t token = 0;
    NodeId node;      ///< for messages and results
    std::string name; ///< for messages and results
    /// How long it took on the rank when the trace was recorded, waiting for other ranks included;
    /// 0: it was not recorded.
    SimTime recorded{};
    /// How much of that passed before it began: before the last member called it and it had its
    /// slots; none: the trace does not say.
    std::optional<SimTime> waited{};
    /// It takes recorded time in place of sending messages. Requires: all members say the same.
    bool isReplayed = false;
    /// Of an all-to-all: what goes to each member, `elements` in all; null: equal parts.
    SharedSplits splits{};
};

/// A rank sends to or receives from another, matched by (source, destination, tag) in order.
struct PointToPointCall
{
    enum class Direction : uint8_t
    {
        Send,
        Receive,
    };

    Direction direction = Direction::Send;
    RankId rank;
    RankId peer;
    uint64_t tag = 0;
    /// Bytes; the send's size travels. A receive may say none (0), else it must be equal.
    Bytes size;
    uint64_t token = 0;
    NodeId node;
    std::string name;
    SimTime recorded{}; ///< as of CollectiveCall
    /// Of a receive: how much of that passed before its send was called. Of a send: 0, as it waits
    /// for nobody. None: the trace does not say.
    std::optional<SimTime> waited{};
    bool isReplayed = false; ///< as of CollectiveCall; both ends say the same
    /// Of a send: whose stream it takes. It is no part of the match, and a receive's counts for
    /// nothing.
    MessageKind kind = MessageKind::Pipeline;
};

} // namespace nadi
