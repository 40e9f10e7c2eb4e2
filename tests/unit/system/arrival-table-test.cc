// SPDX-License-Identifier: GPL-2.0-only
#include "common/hash.h"
#include "system/execution/arrival-table.h"
#include "system/execution/bounded-cache.h"

#include <catch2/catch.hpp>

#include <map>
#include <tuple>

using namespace nadi;

TEST_CASE("ArrivalTable: the second to come takes what the first left", "[unit][system]")
{
    ArrivalTable table;
    const MessageName name{
        .stream = StreamId{1}, .key = {2, 3}, .source = VertexId{4}, .destination = VertexId{5}};
    CHECK_FALSE(table.TakeOrLeave(name, 17));
    CHECK(table.Size() == 1);
    MessageName other = name;
    other.source = VertexId{6};
    CHECK_FALSE(table.TakeOrLeave(other, 18));
    CHECK(table.TakeOrLeave(name, 99) == 17U);
    CHECK(table.TakeOrLeave(other, 99) == 18U);
    CHECK(table.Size() == 0);
}

TEST_CASE("ArrivalTable: agrees with a map over random comings", "[unit][system]")
{
    ArrivalTable table;
    std::map<std::tuple<uint64_t, uint64_t, uint32_t>, uint64_t> model;
    for (uint64_t step = 0; step < 50'000; ++step)
    {
        const uint64_t random = Mix64(step);
        const uint64_t major = random % 7 << 32 | random / 7 % 5;
        const uint64_t minor = random / 64 % 41 << 32;
        const auto destination = static_cast<uint32_t>(random >> 40) % 13;
        const std::tuple key(major, minor, destination);
        const auto left = table.TakeOrLeave({.stream = StreamId{9},
                                             .key = {major, minor},
                                             .source = VertexId{0},
                                             .destination = VertexId{destination}},
                                            step);
        const auto found = model.find(key);
        REQUIRE(left.has_value() == (found != model.end()));
        if (found == model.end())
        {
            model.emplace(key, step);
            continue;
        }
        REQUIRE(*left == found->second);
        model.erase(found);
    }
    CHECK(table.Size() == model.size());
}

TEST_CASE("ArrivalTable: names with equal hashes are different names", "[unit][system]")
{
    // Hashes have 32 bits, so of so many names about n^2 / 2^33 = 10 pairs have equal ones.
    constexpr uint32_t NAMES = 300'000;
    ArrivalTable table;
    const auto nameOf = [](uint32_t i)
    {
        return MessageName{.stream = StreamId{Mix64(i)},
                           .key = {i, 0},
                           .source = VertexId{0},
                           .destination = VertexId{1}};
    };
    for (uint32_t i = 0; i < NAMES; ++i)
    {
        REQUIRE_FALSE(table.TakeOrLeave(nameOf(i), i));
    }
    for (uint32_t i = 0; i < NAMES; ++i)
    {
        REQUIRE(table.TakeOrLeave(nameOf(i), 0) == uint64_t{i});
    }
    CHECK(table.Size() == 0);
}

TEST_CASE("BoundedCache: drops what nobody uses, keeps what somebody does", "[unit][system]")
{
    BoundedCache<int, int> cache(2);
    int made = 0;
    const auto make = [&] { return ++made; };
    auto& kept = cache.Acquire(1, make);
    cache.Release(cache.Acquire(2, make));
    cache.Release(cache.Acquire(2, make));
    CHECK(made == 2);
    cache.Release(cache.Acquire(3, make)); // full: 2 goes, 1 is in use
    CHECK(cache.Size() == 2);
    CHECK(kept.value == 1);
    CHECK(&cache.Acquire(1, make) == &kept);
    CHECK(cache.Acquire(2, make).value == 4);
}
