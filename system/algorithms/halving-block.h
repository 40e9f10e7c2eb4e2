// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

namespace nadi
{

/// Consecutive ranks of recursive halving, which together hold the sum of their shards' range of
/// the buffer.
struct HalvingBlock
{
    uint32_t first = 0;
    uint32_t size = 1;

    HalvingBlock Lower() const
    {
        return {first, size - size / 2};
    }

    HalvingBlock Upper() const
    {
        return {first + Lower().size, size / 2};
    }

    bool IsInLower(uint32_t rank) const
    {
        return rank < Upper().first;
    }

    HalvingBlock HalfOf(uint32_t rank) const
    {
        return IsInLower(rank) ? Lower() : Upper();
    }

    HalvingBlock OtherHalfOf(uint32_t rank) const
    {
        return IsInLower(rank) ? Upper() : Lower();
    }

    /// In an odd block the last rank of the lower half has no partner, and the first of the upper
    /// half takes its message too.
    bool TakesTwo(uint32_t rank) const
    {
        return size % 2 != 0 && rank == Upper().first;
    }
};

/// The most shards that one of `ranks` members receives in a reduce-scatter by recursive halving:
/// ranks - 1 if that is a power of two.
uint64_t MostHalvingReceipts(uint32_t ranks);

} // namespace nadi
