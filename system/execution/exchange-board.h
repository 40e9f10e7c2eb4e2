// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/hash.h"
#include "common/slot-pool.h"
#include "common/units.h"
#include "system/operation.h"
#include "system/point-to-point.h"

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace nadi
{

constexpr bool
IsSend(const PointToPointCall& call)
{
    return call.direction == PointToPointCall::Direction::Send;
}

/// A send and its receive, whichever of them were called.
struct Exchange
{
    uint64_t ordinal = 0; ///< among those of one (source, destination, tag)
    std::optional<PointToPointCall> send;
    std::optional<PointToPointCall> receive;
    SimTime sendIssued;
    std::optional<SimTime> usable; ///< by the receiver; once delivered
    bool isSendDone = false;
    bool isReceiveDone = false;
    std::optional<uint32_t> next; ///< of the board: the next exchange that lacks a call

    bool IsMatched() const
    {
        return send && receive;
    }
};

/// Pairs the n-th send of a (source, destination, tag) with its n-th receive.
///
/// Holds: an exchange lives from the first of its two calls until Remove; memory is that of the
/// exchanges that live and, for each (source, destination, tag) that ever occurred, a count of some
/// 50 bytes. The counts stay: ordinals are part of the identities that order events. If a count
/// began anew whenever nothing lives, the ordinal of a call would depend on whether an exchange
/// that ends at the same instant was removed before it or after it.
class ExchangeBoard
{
  public:
    /// Adds the call to the earliest exchange that lacks it; returns its index.
    uint32_t Join(const PointToPointCall& call, SimTime now);

    /// Throws JobError when the receive names a size that differs from its send's.
    /// Requires: matched.
    static void CheckSizes(const Exchange& exchange);

    /// Valid until the next Join.
    Exchange& operator[](uint32_t index)
    {
        return m_exchanges[index];
    }

    /// Requires: both calls are done.
    void Remove(uint32_t index);

    /// Calls that are not done, by (rank, node).
    std::vector<PendingPointToPoint> FindPending() const;

    /// (source, destination, tag)s of which a send or a receive waits for its other half.
    size_t OpenChannels() const
    {
        return m_open.size();
    }

  private:
    /// What a send and a receive must have in common to match; of those that have, the earliest
    /// match.
    struct ChannelKey
    {
        RankId source;
        RankId destination;
        uint64_t tag = 0;

        auto operator<=>(const ChannelKey&) const = default;
    };

    struct ChannelHash
    {
        size_t operator()(const ChannelKey& key) const
        {
            return Hash64({key.source.value, key.destination.value, key.tag});
        }
    };

    /// The exchanges that lack a call: all of them a send, or all of them a receive. Linked by
    /// Exchange::next, the earliest first.
    struct Unmatched
    {
        uint32_t first = 0;
        uint32_t last = 0;
    };

    static std::optional<PointToPointCall>& SideOf(const PointToPointCall& call,
                                                   Exchange& exchange);
    std::optional<uint32_t> TakeAwaited(const ChannelKey& key, const PointToPointCall& call);
    uint32_t Open(const ChannelKey& key);

    SlotPool<Exchange> m_exchanges;
    std::map<ChannelKey, Unmatched> m_open;
    std::unordered_map<ChannelKey, uint32_t, ChannelHash>
        m_counts; // exchanges so far; not iterated
};

} // namespace nadi
