// SPDX-License-Identifier: GPL-2.0-only
#include "network/dimension.h"

#include "common/check.h"
#include "common/error.h"

#include <limits>
#include <utility>

namespace nadi
{

RankGrid::RankGrid(std::vector<uint32_t> sizes)
    : m_sizes(std::move(sizes))
{
    uint64_t count = 1;
    for (const uint32_t size : m_sizes)
    {
        NADI_CHECK(size > 0);
        // Fits: the product so far has passed the test below.
        m_strides.push_back(static_cast<uint32_t>(count));
        count *= size;
        // Tested after each factor, so the product never overflows: it is always one of two numbers
        // of 32 bits.
        if (count > std::numeric_limits<uint32_t>::max())
        {
            throw ConfigError(
                "dimensions",
                "the product of their sizes passes 4294967295 NPUs; use smaller ones");
        }
    }
    m_rankCount = static_cast<uint32_t>(count);
}

RankGrid
MakeGrid(const std::vector<Dimension>& stack)
{
    std::vector<uint32_t> sizes;
    for (const Dimension& dimension : stack)
    {
        sizes.push_back(dimension.size);
    }
    return RankGrid(std::move(sizes));
}

} // namespace nadi
