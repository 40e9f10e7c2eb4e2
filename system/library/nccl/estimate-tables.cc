// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/estimate-tables.h"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace nadi::nccl
{

double
MostOfLLInNode(Generation generation, Release release)
{
    switch (generation)
    {
    case Generation::V100:
        return 39.0;
    case Generation::H100:
        return release < Release{2, 20} ? 87.7 : 141.0;
    case Generation::B200:
        return release < Release{2, 20} ? 87.7 : 282.0;
    default:
        return 87.7;
    }
}

ByNodes
TreeOfChannel(Generation generation)
{
    switch (generation)
    {
    case Generation::V100:
        return {26.5, 18.5, 10.0};
    case Generation::H100:
        return {38.7, 41.4, 36.0};
    case Generation::B200:
        return {70.0, 42.8, 24.0};
    default:
        return {24.0, 23.6, 17.8};
    }
}

double
LL128OfChannel(Generation generation)
{
    switch (generation)
    {
    case Generation::H100:
        return 36.7;
    case Generation::B200:
        return 40.0;
    default:
        return 20.0;
    }
}

std::array<double, 2>
NvlsTreeOfHead(Generation generation)
{
    return generation == Generation::B200 ? std::array{96.0, 43.1} : std::array{57.7, 45.5};
}

double
TreeCorrection(KernelProtocol protocol, double size)
{
    constexpr size_t count = 23;
    // The rows are those of LL, LL128 and Simple. The columns are powers of two, from 64 B on.
    static constexpr std::array<std::array<double, count>, 3> tables{{
        {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1},
        {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1},
        {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5,
         .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9},
    }};
    constexpr double smallest = 64;
    if (size < smallest)
    {
        return 1;
    }
    const auto place =
        static_cast<size_t>(std::bit_width(static_cast<uint64_t>(size / smallest))) - 1;
    // A size has the value of the largest power of two up to it. Sizes beyond the table are not
    // corrected.
    return place < count ? tables[static_cast<size_t>(protocol)][place] : 1;
}

} // namespace nadi::nccl
