// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "network/flow/message-cost.h"
#include "network/message.h"

#include <compare>
#include <cstdint>
#include <limits>
#include <vector>

namespace nadi
{

/// What tells queue pairs apart (docs/semantics.md 5).
struct QueuePairName
{
    VertexId source;
    VertexId destination;
    StreamId stream;

    bool operator==(const QueuePairName&) const = default;
};

/// Messages from one rank to another, one after the other: a flow as long as there are any.
struct FlowQueuePair
{
    static constexpr uint32_t NONE = std::numeric_limits<uint32_t>::max();

    QueuePairName name;
    uint32_t first = NONE;    ///< message that leaves or is to start: its place; NONE: no message
    uint32_t last = NONE;     ///< message that was sent last
    uint32_t undelivered = 0; ///< messages sent and not delivered
    SimTime delivered;        ///< when the last message to have left is (or will be) delivered
    Bytes costed{-1};         ///< the message size for which `cost` was computed; -1: none yet
    MessageCost cost;         ///< kept, since messages of one queue pair mostly have one size
    uint32_t nextInBucket = NONE;
    uint32_t older = NONE; ///< in the list of idle ones
    uint32_t newer = NONE;
};

/// The queue pairs by name, at places that the user chooses: the backend takes the numbers of
/// flows, so one index names both. Those that are idle may be taken away, the one that has been so
/// longest first: what they know can be found out again.
class QueuePairTable
{
  public:
    FlowQueuePair& operator[](uint32_t place)
    {
        return m_pairs[place];
    }

    const FlowQueuePair& operator[](uint32_t place) const
    {
        return m_pairs[place];
    }

    /// NONE: there is none of that name.
    uint32_t Find(const QueuePairName& name) const;

    /// Lists a busy queue pair. Requires: the place is free, the name is new.
    void Add(uint32_t place, const QueuePairName& name);

    /// Requires: idle.
    void SetBusy(uint32_t place);

    /// Requires: busy.
    void SetIdle(uint32_t place);

    /// Forgets the queue pair that has been idle longest: its place, which is free now. NONE: all
    /// are busy.
    uint32_t RemoveOldestIdle();

    uint32_t Size() const
    {
        return m_size;
    }

  private:
    static constexpr uint32_t NONE = FlowQueuePair::NONE;

    uint32_t& BucketOf(const QueuePairName& name);
    void Rehash();

    std::vector<FlowQueuePair> m_pairs;
    std::vector<uint32_t> m_buckets; // first of each chain; their number is a power of two
    uint32_t m_size = 0;
    uint32_t m_oldestIdle = NONE;
    uint32_t m_newestIdle = NONE;
};

} // namespace nadi
