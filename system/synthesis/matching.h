// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/synthesis/chunk-sets.h"
#include "system/synthesis/message-times.h"
#include "system/synthesis/route-model.h"
#include "system/synthesis/transfer.h"
#include "system/synthesis/way-groups.h"
#include "system/synthesis/wire-clock.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi::synthesis
{

/// What a way between groups takes (WayGroups).
enum class GroupRule
{
    Ignore,  ///< any chunk
    Prefer,  ///< first what nobody in the group has
    Require, ///< only what nobody in the group has
};

/// What the matching may decide one way or another.
struct MatchingRules
{
    uint64_t seed = 1;
    GroupRule groups = GroupRule::Ignore;

    bool operator==(const MatchingRules&) const = default;
};

/// Brings every chunk from its owner to all ranks, message by message, always at once: at each
/// instant every idle way takes a chunk that its sender has, and that its receiver neither has nor
/// expects.
///
/// * Of several chunks it takes the one that the fewest ranks have or expect.
/// * A port prefers the way that it had before, so that on switches one sender at a time meets it.
/// * A slow way takes nothing that the faster ports of its receiver can bring before it would be
///   done. If then nothing at all is in flight, this rule is left out for once, so it always ends.
/// * Ties are broken by hashes of (seed, instant, ranks, chunk).
///
/// Each chunk's messages form a tree from its owner.
class Matching
{
  public:
    /// `owners`: the rank of each chunk. Requires: all outlive it.
    Matching(const RouteModel& model,
             const MessageTimes& times,
             const WayGroups& groups,
             const std::vector<uint32_t>& owners,
             const MatchingRules& rules);

    /// In order of their starts. Once only.
    Schedule Run();

    /// When the last message has arrived. After Run.
    SimTime End() const
    {
        return SimTime::FromPs(m_end);
    }

  private:
    static constexpr uint32_t MOST_CANDIDATES = 256;

    /// Whether the rules that hold ways back apply.
    enum class Restraint
    {
        On,
        Off,
    };

    struct Turn
    {
        uint64_t order = 0;
        uint32_t way = 0;
    };

    void AddOwners(const std::vector<uint32_t>& owners);
    void RankSpeeds();
    void Wake(uint32_t way);
    void WakeAll();
    void MatchAwake(Restraint restraint);
    void Match(uint32_t way, Restraint restraint);
    uint64_t OrderOf(uint32_t way) const;
    bool CanOthersBring(uint32_t way) const;
    int64_t CountBookedMore(uint32_t way) const;
    std::optional<uint32_t> FindChunk(uint32_t way, Restraint restraint) const;
    std::optional<uint32_t> FindRarest(uint32_t way, bool isNewToGroup) const;
    void Book(uint32_t way, uint32_t chunk);
    void AdvanceClock();

    const RouteModel& m_model;
    const MessageTimes& m_times;
    const WayGroups& m_groups;
    MatchingRules m_rules;
    WireClock m_clock;
    ChunkSets m_held;                             // by rank
    ChunkSets m_booked;                           // by rank: held or in flight
    ChunkSets m_bookedByGroup;                    // by group
    std::vector<uint32_t> m_bookings;             // by chunk: ranks that have or expect it
    std::vector<uint32_t> m_lacks;                // by rank: chunks not booked
    std::vector<uint32_t> m_partners;             // by port: the way that it had last
    std::vector<uint32_t> m_speedRanks;           // by way, 0 the fastest
    std::vector<std::vector<uint32_t>> m_fastest; // by rank: of each port the fastest way
    std::vector<bool> m_isAwake;                  // by way
    std::vector<uint32_t> m_awake;                // ways that may find a chunk now
    std::vector<Turn> m_turns;
    std::vector<WireClock::Arrival> m_arrivals;
    std::vector<uint32_t> m_freed;
    uint64_t m_salt = 0; // of the instant
    uint64_t m_left = 0; // bookings that are still to be made
    int64_t m_end = 0;
    Schedule m_schedule;
};

} // namespace nadi::synthesis
