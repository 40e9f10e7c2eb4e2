// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "system/execution/slot-pool.h"
#include "system/operation.h"
#include "system/point-to-point.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <tuple>
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

    bool IsMatched() const
    {
        return send && receive;
    }
};

/// Pairs the n-th send of a (source, destination, tag) with its n-th receive.
///
/// Holds: an exchange lives from the first of its two calls until Remove.
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

  private:
    /// All exchanges of one (source, destination, tag).
    struct Channel
    {
        uint64_t exchanges = 0;         ///< made so far
        std::deque<uint32_t> unmatched; ///< all of them sends, or all of them receives
    };

    using ChannelKey = std::tuple<RankId, RankId, uint64_t>;

    SlotPool<Exchange> m_exchanges;
    std::map<ChannelKey, Channel> m_channels;
};

} // namespace nadi
