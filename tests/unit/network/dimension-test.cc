// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "network/dimension.h"
#include "tests/support/config-error-text.h"

#include <catch2/catch.hpp>

using namespace nadi;

TEST_CASE("RankGrid: a rank is the sum of coordinates times strides", "[unit][network]")
{
    const RankGrid grid({3, 1, 4, 2});
    CHECK(grid.DimensionCount() == 4);
    CHECK(grid.RankCount() == 24);
    for (uint32_t rank = 0; rank < grid.RankCount(); ++rank)
    {
        uint32_t sum = 0;
        for (uint32_t d = 0; d < grid.DimensionCount(); ++d)
        {
            CHECK(grid.Coordinate(rank, d) < grid.Size(d));
            sum += grid.Coordinate(rank, d) * grid.Stride(d);
        }
        CHECK(sum == rank);
    }
}

TEST_CASE("RankGrid: dimension 0 is least significant", "[unit][network]")
{
    const RankGrid grid({8, 4});
    CHECK(grid.Stride(0) == 1);
    CHECK(grid.Stride(1) == 8);
    CHECK(grid.Coordinate(19, 0) == 3);
    CHECK(grid.Coordinate(19, 1) == 2);
}

TEST_CASE("RankGrid: replacing a coordinate leaves the others", "[unit][network]")
{
    const RankGrid grid({3, 4, 2});
    for (uint32_t rank = 0; rank < grid.RankCount(); ++rank)
    {
        for (uint32_t coordinate = 0; coordinate < 4; ++coordinate)
        {
            const uint32_t moved = grid.WithCoordinate(rank, 1, coordinate);
            CHECK(grid.Coordinate(moved, 1) == coordinate);
            CHECK(grid.Coordinate(moved, 0) == grid.Coordinate(rank, 0));
            CHECK(grid.Coordinate(moved, 2) == grid.Coordinate(rank, 2));
        }
    }
}

TEST_CASE("RankGrid: more ranks than an id can name are an error", "[unit][network]")
{
    CHECK(RankGrid({65535, 65537}).RankCount() == 4294967295);
    CHECK(ConfigErrorText(
              [] {
                  RankGrid({65536, 65536});
              }) ==
          "dimensions: the product of their sizes passes 4294967295 NPUs; use smaller ones");
    CHECK_THROWS_AS(RankGrid({4, 0}), CheckFailure);
}
