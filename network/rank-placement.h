// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "network/dimension.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// Which place hosts which rank: an NPU of the network, or a place of the logical stack.
///
/// Holds: a permutation of 0..count-1. Places that host no rank have the numbers behind the last
/// rank, in order. The linear placement, where rank r has place r, stores nothing and has any size.
class RankPlacement
{
  public:
    /// Linear.
    RankPlacement() = default;

    /// `places` by rank, of `count` in all. Requires: no place twice, each below `count`.
    RankPlacement(const std::vector<uint32_t>& places, uint32_t count);

    bool IsLinear() const
    {
        return m_placeOfRank.empty();
    }

    uint32_t PlaceOf(uint32_t rank) const
    {
        return IsLinear() ? rank : m_placeOfRank[rank];
    }

    uint32_t PlaceOf(RankId rank) const
    {
        return PlaceOf(rank.value);
    }

    uint32_t RankAt(uint32_t place) const
    {
        return IsLinear() ? place : m_rankOfPlace[place];
    }

  private:
    std::vector<uint32_t> m_placeOfRank; // empty: linear
    std::vector<uint32_t> m_rankOfPlace; // likewise
};

/// The NPUs of `ranks` ranks that go through a stack to and fro: ranks that follow each other stand
/// side by side. The coordinate of `order[0]` runs fastest, that of `order[1]` steps when it has
/// come to an end, and so on; each coordinate turns back at its ends (a reflected Gray code).
/// Requires: `order` names every dimension once; ranks <= grid.RankCount().
std::vector<uint32_t>
MakeSnake(const RankGrid& grid, const std::vector<uint32_t>& order, uint32_t ranks);

/// The NPUs of `ranks` ranks, drawn of `npus` without putting back: a function of the seed alone.
/// Requires: ranks <= npus.
std::vector<uint32_t> DrawNpus(uint64_t seed, uint32_t npus, uint32_t ranks);

} // namespace nadi
