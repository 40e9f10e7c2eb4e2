// SPDX-License-Identifier: GPL-2.0-only
#include "system/synthesis/matching.h"

#include "common/check.h"
#include "common/hash.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace nadi::synthesis
{

// Only ways that are awake are looked at: those that have just become idle, and those at whose
// sender a chunk has just arrived. Any other way that found no chunk would find none again, since
// bookings only reduce what a way may bring. The exception is a way that was held back for faster
// ones. If these bring nothing either, all is quiet in the end, and Run wakes all ways.

Matching::Matching(const RouteModel& model,
                   const MessageTimes& times,
                   const WayGroups& groups,
                   const std::vector<uint32_t>& owners,
                   const MatchingRules& rules)
    : m_model(model)
    , m_times(times)
    , m_groups(groups)
    , m_rules(rules)
    , m_clock(model, times)
    , m_held(model.RankCount(), static_cast<uint32_t>(owners.size()))
    , m_booked(model.RankCount(), static_cast<uint32_t>(owners.size()))
    , m_bookedByGroup(groups.count, static_cast<uint32_t>(owners.size()))
    , m_bookings(owners.size(), 1)
    , m_lacks(model.RankCount(), static_cast<uint32_t>(owners.size()))
    , m_partners(FindFirstPartners(model, groups))
    , m_isAwake(model.WayCount(), false)
{
    if (!groups.AreUseful())
    {
        m_rules.groups = GroupRule::Ignore;
    }
    AddOwners(owners);
    RankSpeeds();
}

void
Matching::AddOwners(const std::vector<uint32_t>& owners)
{
    for (uint32_t chunk = 0; chunk < owners.size(); ++chunk)
    {
        m_held.Add(owners[chunk], chunk);
        m_booked.Add(owners[chunk], chunk);
        m_bookedByGroup.Add(m_groups.groupOf[owners[chunk]], chunk);
        --m_lacks[owners[chunk]];
    }
    m_left = uint64_t{owners.size()} * (m_model.RankCount() - 1);
    m_schedule.reserve(m_left);
}

void
Matching::RankSpeeds()
{
    // Speeds are ranked, since OrderOf packs the rank into one number with a hash, where a time
    // would not fit.
    std::vector<int64_t> speeds;
    for (uint32_t way = 0; way < m_model.WayCount(); ++way)
    {
        speeds.push_back(m_times.Busy(way));
    }
    std::sort(speeds.begin(), speeds.end());
    speeds.erase(std::unique(speeds.begin(), speeds.end()), speeds.end());
    for (uint32_t way = 0; way < m_model.WayCount(); ++way)
    {
        const auto at = std::lower_bound(speeds.begin(), speeds.end(), m_times.Busy(way));
        m_speedRanks.push_back(static_cast<uint32_t>(at - speeds.begin()));
    }
    // A port takes one message at a time, whoever sends it, so CanOthersBring counts each port
    // once.
    std::vector<uint32_t> fastest(m_model.PortCount(), UINT32_MAX);
    for (uint32_t way = 0; way < m_model.WayCount(); ++way)
    {
        uint32_t& best = fastest[m_model.At(way).port];
        if (best == UINT32_MAX || m_speedRanks[way] < m_speedRanks[best])
        {
            best = way;
        }
    }
    m_fastest.resize(m_model.RankCount());
    for (const uint32_t way : fastest)
    {
        m_fastest[m_model.At(way).to].push_back(way);
    }
}

Schedule
Matching::Run()
{
    WakeAll();
    MatchAwake(Restraint::On);
    while (m_left > 0)
    {
        if (m_clock.IsQuiet())
        {
            // No arrival will wake a way. Without restraint some way finds a chunk: from the owner
            // of a chunk to a rank that lacks the chunk there is a path, and one of its ways leads
            // from a rank that has the chunk to one that neither has nor expects it.
            const uint64_t before = m_left;
            WakeAll();
            MatchAwake(Restraint::Off);
            NADI_CHECK(m_left < before);
        }
        else
        {
            AdvanceClock();
            MatchAwake(Restraint::On);
        }
    }
    return std::move(m_schedule);
}

void
Matching::AdvanceClock()
{
    m_clock.Advance(m_arrivals, m_freed);
    for (const auto& [way, chunk] : m_arrivals)
    {
        const uint32_t rank = m_model.At(way).to;
        m_held.Add(rank, chunk);
        for (const uint32_t next : m_model.WaysFrom(rank))
        {
            Wake(next);
        }
    }
    for (const uint32_t way : m_freed)
    {
        Wake(way);
    }
}

void
Matching::Wake(uint32_t way)
{
    // What a rank lacks only becomes less, so a way to a rank that lacks nothing sleeps for good.
    if (m_isAwake[way] || m_lacks[m_model.At(way).to] == 0)
    {
        return;
    }
    if (!m_clock.IsIdle(way))
    {
        m_clock.Await(way);
        return;
    }
    m_isAwake[way] = true;
    m_awake.push_back(way);
}

void
Matching::WakeAll()
{
    for (uint32_t way = 0; way < m_model.WayCount(); ++way)
    {
        Wake(way);
    }
}

void
Matching::MatchAwake(Restraint restraint)
{
    // Ties are broken anew at each instant, so that no way is always the last.
    m_salt = Hash64({m_rules.seed, static_cast<uint64_t>(m_clock.Now())});
    m_turns.clear();
    for (const uint32_t way : m_awake)
    {
        m_isAwake[way] = false;
        m_turns.push_back({OrderOf(way), way});
    }
    m_awake.clear();
    std::sort(m_turns.begin(),
              m_turns.end(),
              [](const Turn& one, const Turn& other)
              { return std::tie(one.order, one.way) < std::tie(other.order, other.way); });
    for (const Turn& turn : m_turns)
    {
        Match(turn.way, restraint);
    }
}

/// The way may be busy again: another way of this instant may have taken a link that both use.
void
Matching::Match(uint32_t way, Restraint restraint)
{
    if (!m_clock.IsIdle(way))
    {
        m_clock.Await(way);
        return;
    }
    if (restraint == Restraint::On && CanOthersBring(way))
    {
        return;
    }
    if (const std::optional<uint32_t> chunk = FindChunk(way, restraint))
    {
        Book(way, *chunk);
        m_clock.Await(way);
    }
}

void
Matching::Book(uint32_t way, uint32_t chunk)
{
    const uint32_t to = m_model.At(way).to;
    m_schedule.push_back(MakeCopy(way, chunk));
    m_booked.Add(to, chunk);
    m_bookedByGroup.Add(m_groups.groupOf[to], chunk);
    ++m_bookings[chunk];
    --m_lacks[to];
    --m_left;
    m_partners[m_model.At(way).port] = way;
    m_clock.Start(way, chunk);
    m_end = std::max(m_end, m_clock.Now() + m_times.ToUse(way));
}

} // namespace nadi::synthesis
