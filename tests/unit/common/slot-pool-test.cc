// SPDX-License-Identifier: GPL-2.0-only
#include "common/slot-pool.h"

#include <catch2/catch.hpp>

#include <cstdint>

using namespace nadi;

TEST_CASE("SlotPool: a freed index is used again", "[unit][common]")
{
    SlotPool<int> pool;
    const uint32_t first = pool.Make(1);
    const uint32_t second = pool.Make(2);
    pool.Free(first);
    CHECK(pool.Live() == 1);
    CHECK(pool.Make(3) == first);
    CHECK(pool[second] == 2);
    CHECK(pool.Slots().size() == 2);
}

TEST_CASE("SlotPool: what is taken out leaves its slot free", "[unit][common]")
{
    SlotPool<int> pool;
    const uint32_t index = pool.Make(7);
    CHECK(pool.Take(index) == 7);
    CHECK(pool.Live() == 0);
    CHECK(pool.Make(8) == index);
}

TEST_CASE("SlotPool: of several freed slots the last one is used first", "[unit][common]")
{
    SlotPool<int> pool;
    const uint32_t first = pool.Make(1);
    const uint32_t second = pool.Make(2);
    pool.Free(first);
    pool.Free(second);
    CHECK(pool.Live() == 0);
    CHECK(pool.Make(3) == second);
    CHECK(pool.Make(4) == first);
    CHECK(pool.Slots().size() == 2);
}

TEST_CASE("SlotPool: what is claimed is new, or has its last record", "[unit][common]")
{
    SlotPool<int> pool;
    const uint32_t index = pool.Claim();
    CHECK(pool[index] == 0);
    CHECK(pool.Live() == 1);
    pool[index] = 7;
    pool.Free(index);
    CHECK(pool.Claim() == index);
    CHECK(pool[index] == 7);
    CHECK(pool.Slots().size() == 1);
}
