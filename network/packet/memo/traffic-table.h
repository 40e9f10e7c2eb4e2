// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/slot-pool.h"
#include "network/closed-traffic.h"
#include "network/packet/memo/period-trie.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

namespace nadi
{

/// Closed traffic that was taken over and whose period has not ended.
struct TakenTraffic
{
    static constexpr uint32_t NONE = std::numeric_limits<uint32_t>::max();
    static constexpr int64_t NOT_GIVEN = -1;

    /// When a part has ended, in picoseconds, and in which round of that instant.
    struct End
    {
        int64_t at = NOT_GIVEN;
        uint32_t round = 0;
    };

    ClosedTraffic* traffic = nullptr; ///< null: released
    StreamId stream;
    uint32_t period = NONE;
    uint32_t input = 0;    ///< in its period
    int64_t begin = 0;     ///< in picoseconds
    std::vector<End> ends; ///< by part: those that were given
    uint32_t givenEnds = 0;
    uint32_t simulatedEnds = 0;
    bool isSimulated = false;
    bool isNoted = false;                      ///< simulated: all messages so far were noted
    std::vector<TrafficMessage> noted;         ///< delivered messages
    uint32_t record = PeriodOutput::NO_RECORD; ///< once all ends were given

    bool HasEnded() const
    {
        return givenEnds == ends.size();
    }

    /// Whether its messages were simulated to the last one, and its owner knows of all ends.
    bool IsThrough() const
    {
        return HasEnded() && simulatedEnds == ends.size();
    }

    void Give(uint32_t part, End end)
    {
        ends[part] = end;
        ++givenEnds;
    }

    /// The ends that were given, as outputs of a period that began at `begin` and whose `input`-th
    /// input this is.
    void AddGiven(int64_t begin, uint32_t input, std::vector<PeriodOutput>& outputs) const;

    /// A message of it was sent and delivered at these times.
    void Note(const Message& message, int64_t sent, int64_t delivered);

    /// A message of a record, as if it was one of this traffic.
    Delivery MakeDelivery(const TrafficMessage& message) const;
};

/// Closed traffic that was taken over, by its number and by its stream.
class TrafficTable
{
  public:
    static constexpr uint32_t NONE = TakenTraffic::NONE;

    /// It begins now.
    uint32_t Add(ClosedTraffic& traffic, SimTime now);

    /// The number of the traffic on the stream; NONE: there is none.
    uint32_t Find(StreamId stream) const;

    /// A reference is valid until the next Add.
    TakenTraffic& operator[](uint32_t number)
    {
        return m_traffics[number];
    }

    const TakenTraffic& operator[](uint32_t number) const
    {
        return m_traffics[number];
    }

    /// Its owner may forget it. It goes on being known here.
    void Release(uint32_t number);

    /// Requires: it was released.
    void Free(uint32_t number);

    /// How much of it is known.
    size_t Count() const
    {
        return m_numbers.size();
    }

  private:
    SlotPool<TakenTraffic> m_traffics;
    std::unordered_map<uint64_t, uint32_t> m_numbers; // by stream
};

} // namespace nadi
