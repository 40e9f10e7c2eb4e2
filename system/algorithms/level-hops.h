// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/shape.h"

#include <cstdint>

namespace nadi
{

/// Links that messages cross together whose distances are 1, 2, 4, ..., less than `ranks`: those
/// from level to level of a binary or binomial tree, or of recursive halving.
inline uint64_t
LevelHops(uint32_t ranks, const Shape& shape)
{
    uint64_t hops = 0;
    for (uint64_t distance = 1; distance < ranks; distance *= 2)
    {
        hops += shape.HopCount(ranks, 0, static_cast<uint32_t>(distance));
    }
    return hops;
}

} // namespace nadi
