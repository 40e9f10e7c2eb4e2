// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

namespace nadi
{

/// The least exponent with 2^exponent >= `p`.
inline uint32_t
CeilLog2(uint32_t p)
{
    uint32_t exponent = 0;
    while ((1U << exponent) < p)
    {
        ++exponent;
    }
    return exponent;
}

} // namespace nadi
