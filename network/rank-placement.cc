// SPDX-License-Identifier: GPL-2.0-only
#include "network/rank-placement.h"

#include "common/check.h"
#include "common/hash.h"

#include <numeric>
#include <utility>

namespace nadi
{

namespace
{

// Keeps these draws apart from others with the same seed.
constexpr uint64_t PLACEMENT_PURPOSE = 0x706c6163656d656e; // "placemen"
constexpr uint32_t UNHOSTED = UINT32_MAX;

std::vector<uint32_t>
CountUp(uint32_t count)
{
    std::vector<uint32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

/// A coordinate runs forth on every second pass over it, and back on the others.
uint32_t
FindSnakeNpu(const RankGrid& grid, const std::vector<uint32_t>& order, uint32_t rank)
{
    uint32_t npu = 0;
    uint32_t passes = rank;
    for (const uint32_t dimension : order)
    {
        const uint32_t size = grid.Size(dimension);
        const uint32_t step = passes % size;
        passes /= size;
        // `passes` counts how often this dimension was walked through before. Odd passes go back.
        npu += grid.Stride(dimension) * (passes % 2 == 0 ? step : size - 1 - step);
    }
    return npu;
}

} // namespace

RankPlacement::RankPlacement(const std::vector<uint32_t>& places, uint32_t count)
    : m_placeOfRank(places)
    , m_rankOfPlace(count, UNHOSTED)
{
    NADI_CHECK(places.size() <= count);
    for (uint32_t rank = 0; rank < places.size(); ++rank)
    {
        NADI_CHECK(m_rankOfPlace.at(places[rank]) == UNHOSTED);
        m_rankOfPlace[places[rank]] = rank;
    }
    // Numbers behind the last rank go to the places that are left, so that every NPU has a number.
    for (uint32_t place = 0; place < count; ++place)
    {
        if (m_rankOfPlace[place] == UNHOSTED)
        {
            m_rankOfPlace[place] = static_cast<uint32_t>(m_placeOfRank.size());
            m_placeOfRank.push_back(place);
        }
    }
    // A placement that moves no rank becomes the linear one, whatever asked for it: it then stores
    // nothing, and IsLinear tells.
    if (m_placeOfRank == CountUp(count))
    {
        *this = RankPlacement();
    }
}

std::vector<uint32_t>
MakeSnake(const RankGrid& grid, const std::vector<uint32_t>& order, uint32_t ranks)
{
    NADI_CHECK(order.size() == grid.DimensionCount() && ranks <= grid.RankCount());
    std::vector<uint32_t> npus;
    npus.reserve(ranks);
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        npus.push_back(FindSnakeNpu(grid, order, rank));
    }
    return npus;
}

std::vector<uint32_t>
DrawNpus(uint64_t seed, uint32_t npus, uint32_t ranks)
{
    NADI_CHECK(ranks <= npus);
    // The first steps of the shuffle of Fisher and Yates: rank r draws one of the NPUs that are
    // left, by a hash instead of a stream of random numbers (docs/semantics.md 1).
    std::vector<uint32_t> drawn = CountUp(npus);
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        const uint64_t pick = Hash64({seed, PLACEMENT_PURPOSE, rank}) % (npus - rank);
        std::swap(drawn[rank], drawn[rank + pick]);
    }
    drawn.resize(ranks);
    return drawn;
}

} // namespace nadi
