// SPDX-License-Identifier: GPL-2.0-only
#include "system/algorithms/halving-block.h"

#include <algorithm>
#include <compare>
#include <map>

namespace nadi
{

namespace
{

/// Members of a block, but perhaps not its first or its last one.
struct Members
{
    uint32_t size = 1;
    bool isWithoutFirst = false;
    bool isWithoutLast = false;

    auto operator<=>(const Members&) const = default;

    bool AreNone() const
    {
        return size <= uint32_t{isWithoutFirst} + uint32_t{isWithoutLast};
    }
};

/// How many shards the members of a block receive by halving, in all levels below it. Two members
/// can differ: who has no partner in a level receives nothing there, and the one that takes its
/// message receives twice.
class HalvingReceipts
{
  public:
    /// Of these the one that receives most; 0 where there are none.
    uint64_t MostOf(const Members& members)
    {
        if (members.AreNone() || members.size == 1)
        {
            return 0;
        }
        const auto known = m_known.find(members);
        if (known != m_known.end())
        {
            return known->second;
        }
        const uint64_t most = members.size % 2 == 0 ? OfEven(members) : OfOdd(members);
        m_known.emplace(members, most);
        return most;
    }

  private:
    static uint64_t OfFirst(uint32_t size)
    {
        uint64_t shards = 0;
        for (; size > 1; size -= size / 2)
        {
            shards += size - size / 2;
        }
        return shards;
    }

    static uint64_t OfLast(uint32_t size)
    {
        uint64_t shards = 0;
        for (; size > 1; size /= 2)
        {
            // Of a block of three, the only one of the upper half takes both messages.
            shards += size == 3 ? 2 : size / 2;
        }
        return shards;
    }

    uint64_t OfEven(const Members& members)
    {
        const uint32_t half = members.size / 2;
        return half + std::max(MostOf({half, members.isWithoutFirst, false}),
                               MostOf({half, false, members.isWithoutLast}));
    }

    uint64_t OfOdd(const Members& members)
    {
        const HalvingBlock block{0, members.size};
        const uint32_t lower = block.Lower().size;
        const uint32_t upper = block.Upper().size;
        // The last of the lower half has no partner; the first of the upper half takes two.
        uint64_t most = OfLast(lower);
        const Members partners{lower, members.isWithoutFirst, true};
        if (!partners.AreNone())
        {
            most = std::max(most, lower + MostOf(partners));
        }
        if (upper > 1 || !members.isWithoutLast)
        {
            most = std::max(most, 2 * upper + OfFirst(upper));
        }
        const Members others{upper, true, members.isWithoutLast};
        if (!others.AreNone())
        {
            most = std::max(most, upper + MostOf(others));
        }
        return most;
    }

    // Each level has blocks of two sizes at most, so there are few.
    std::map<Members, uint64_t> m_known;
};

} // namespace

uint64_t
MostHalvingReceipts(uint32_t ranks)
{
    return HalvingReceipts().MostOf({.size = ranks});
}

} // namespace nadi
