// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/axis-numbering.h"

#include <algorithm>

namespace nadi
{

std::optional<AxisNumbering>
FindNumbering(std::span<const uint32_t> placeOfRank, uint32_t count)
{
    // Ranks below the stride have place 0, so the first rank at place 1 is the stride.
    const auto second = std::ranges::find(placeOfRank, 1U);
    // A first rank at place 1 would make a stride of 0.
    if (second == placeOfRank.end() || second == placeOfRank.begin() ||
        placeOfRank.size() % count != 0)
    {
        return std::nullopt;
    }
    const AxisNumbering numbering{static_cast<uint32_t>(second - placeOfRank.begin()), count};
    for (uint32_t rank = 0; rank < placeOfRank.size(); ++rank)
    {
        if (numbering.PlaceOf(rank) != placeOfRank[rank])
        {
            return std::nullopt;
        }
    }
    return numbering;
}

} // namespace nadi
