// SPDX-License-Identifier: GPL-2.0-only
// Which way goes next, and which chunk it takes.
#include "common/hash.h"
#include "system/synthesis/matching.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>

namespace nadi::synthesis
{

/// Partners first, then fast ways, then by hash.
uint64_t
Matching::OrderOf(uint32_t way) const
{
    const uint64_t isOther = m_partners[m_model.At(way).port] == way ? 0 : 1;
    const uint64_t hash = Mix64(m_salt ^ Mix64(way)) >> 32;
    // Speed ranks are below 2^31, so the three fields do not overlap.
    return isOther << 63 | uint64_t{m_speedRanks[way]} << 32 | hash;
}

/// Whether the faster ports of the receiver can bring all that it lacks before the way would be
/// done.
bool
Matching::CanOthersBring(uint32_t way) const
{
    const uint32_t to = m_model.At(way).to;
    const int64_t done = m_clock.Now() + m_times.ToUse(way);
    int64_t lacks = m_lacks[to];
    for (const uint32_t other : m_fastest[to])
    {
        if (m_speedRanks[other] < m_speedRanks[way] &&
            m_model.At(other).port != m_model.At(way).port)
        {
            const int64_t begin = std::max(m_clock.Now(), m_clock.FreeAt(other));
            const int64_t busy = m_times.Busy(other);
            // The last message of `other` must leave so early that it may be used when `way` would
            // be done. A chunk that several ports could bring is counted for each of them, so the
            // answer may be too hopeful. If that holds everything up, Matching::Run drops the
            // restraint for once.
            const int64_t time = done - begin - (m_times.ToUse(other) - busy);
            lacks -= std::min(std::max<int64_t>(time, 0) / busy, CountBookedMore(other));
        }
    }
    return lacks <= 0;
}

/// The chunks that the sender has or expects, and the receiver does not.
int64_t
Matching::CountBookedMore(uint32_t way) const
{
    const std::span<const uint64_t> from = m_booked.Of(m_model.At(way).from);
    const std::span<const uint64_t> to = m_booked.Of(m_model.At(way).to);
    int64_t count = 0;
    for (size_t word = 0; word < from.size(); ++word)
    {
        count += std::popcount(from[word] & ~to[word]);
    }
    return count;
}

std::optional<uint32_t>
Matching::FindChunk(uint32_t way, Restraint restraint) const
{
    if (m_rules.groups == GroupRule::Ignore || !m_groups.leaves[way])
    {
        return FindRarest(way, false);
    }
    const std::optional<uint32_t> chunk = FindRarest(way, true);
    // Without restraint even GroupRule::Require gives way: else nothing might ever be sent.
    const bool mustBeNew = m_rules.groups == GroupRule::Require && restraint == Restraint::On;
    return chunk || mustBeNew ? chunk : FindRarest(way, false);
}

/// Of the chunks that the way may bring, or of those that are new to the receiver's group.
std::optional<uint32_t>
Matching::FindRarest(uint32_t way, bool isNewToGroup) const
{
    const Way& ends = m_model.At(way);
    const std::span<const uint64_t> held = m_held.Of(ends.from);
    const std::span<const uint64_t> booked = m_booked.Of(ends.to);
    const std::span<const uint64_t> known = m_bookedByGroup.Of(m_groups.groupOf[ends.to]);
    const uint64_t salt = Mix64(m_salt + way);
    const size_t words = held.size();
    // Where chunks are many, only the first candidates from some word on are compared, which bounds
    // the cost of a look. The first word differs by way and instant, so that chunks of low numbers
    // are not preferred.
    size_t word = salt % words;
    std::optional<uint32_t> rarest;
    uint64_t rarestHash = 0;
    uint32_t seen = 0;
    for (size_t count = 0; count < words && seen < MOST_CANDIDATES; ++count)
    {
        uint64_t bits = held[word] & ~booked[word] & ~(isNewToGroup ? known[word] : 0);
        for (; bits != 0; bits &= bits - 1, ++seen)
        {
            const auto chunk =
                static_cast<uint32_t>(word * 64) + static_cast<uint32_t>(std::countr_zero(bits));
            if (rarest && m_bookings[chunk] > m_bookings[*rarest])
            {
                continue;
            }
            const uint64_t hash = Mix64(salt ^ chunk);
            if (!rarest || m_bookings[chunk] < m_bookings[*rarest] || hash < rarestHash)
            {
                rarest = chunk;
                rarestHash = hash;
            }
        }
        word = word + 1 == words ? 0 : word + 1;
    }
    return rarest;
}

} // namespace nadi::synthesis
