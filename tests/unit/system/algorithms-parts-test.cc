// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "common/error.h"
#include "system/algorithms/ring-order.h"
#include "system/algorithms/slices.h"
#include "system/collective-plan.h"

#include <catch2/catch.hpp>

#include <limits>
#include <set>

using namespace nadi;

TEST_CASE("PartOf: parts follow one another, and part i begins at floor(i n / p)", "[unit][system]")
{
    for (const uint64_t n : {0U, 1U, 5U, 6U, 7U, 100U})
    {
        for (const uint32_t p : {1U, 2U, 3U, 6U, 17U})
        {
            uint64_t next = 40;
            for (uint32_t i = 0; i < p; ++i)
            {
                const Interval part = PartOf({40, 40 + n}, i, p);
                CHECK(part.begin == next);
                CHECK(part.begin == 40 + i * n / p);
                next = part.end;
            }
            CHECK(next == 40 + n);
        }
    }
}

TEST_CASE("PartOf: is exact where index times length passes 64 bits", "[unit][system]")
{
    constexpr uint64_t N = std::numeric_limits<uint64_t>::max(); // = 3 x 0x5555555555555555
    constexpr uint64_t THIRD = N / 3;
    STATIC_REQUIRE(THIRD * 3 == N);
    CHECK(PartOf({0, N}, 1, 3) == Interval{THIRD, 2 * THIRD});
    CHECK(PartOf({0, N}, 2, 3) == Interval{2 * THIRD, N});
}

TEST_CASE("PartOf: there is no part past the last", "[unit][system]")
{
    CHECK_THROWS_AS(PartOf({0, 10}, 3, 3), CheckFailure);
}

TEST_CASE("RingOrder: folded, a ring goes out over even members and back over odd ones",
          "[unit][system]")
{
    const RingOrder order(6, LineOrder::Folded, RingDirection::Forward);
    const std::vector<uint32_t> expected{0, 2, 4, 5, 3, 1};
    for (uint32_t place = 0; place < 6; ++place)
    {
        CHECK(order.MemberAt(place) == expected[place]);
    }
}

TEST_CASE("RingOrder: places and members are each other's inverse", "[unit][system]")
{
    for (const LineOrder line : {LineOrder::Cycle, LineOrder::Folded})
    {
        for (const auto direction : {RingDirection::Forward, RingDirection::Backward})
        {
            for (uint32_t p = 1; p <= 9; ++p)
            {
                const RingOrder order(p, line, direction);
                std::set<uint32_t> seen;
                for (uint32_t place = 0; place < p; ++place)
                {
                    CHECK(order.PlaceOf(order.MemberAt(place)) == place);
                    seen.insert(order.MemberAt(place));
                }
                CHECK(seen.size() == p);
                CHECK(*seen.rbegin() == p - 1);
            }
        }
    }
}

TEST_CASE("RingOrder: folded neighbours are at most two apart on the line", "[unit][system]")
{
    for (uint32_t p = 2; p <= 9; ++p)
    {
        const RingOrder order(p, LineOrder::Folded, RingDirection::Forward);
        for (uint32_t member = 0; member < p; ++member)
        {
            const uint32_t next = order.Ahead(member, 1);
            CHECK(std::max(member, next) - std::min(member, next) <= 2);
        }
    }
}

TEST_CASE("RingOrder: reversed, ahead is behind", "[unit][system]")
{
    for (const LineOrder line : {LineOrder::Cycle, LineOrder::Folded})
    {
        const RingOrder order(7, line, RingDirection::Forward);
        for (uint32_t member = 0; member < 7; ++member)
        {
            for (uint32_t hops = 0; hops <= 7; ++hops)
            {
                CHECK(order.Reversed().Ahead(member, hops) == order.Behind(member, hops));
                CHECK(order.Behind(order.Ahead(member, hops), hops) == member);
            }
        }
    }
}

namespace
{

Slices
MakeSlices(const std::string& size)
{
    return Slices(Parameters::Parse({Slices::Spec()}, {{"slice", size}}));
}

} // namespace

TEST_CASE("Slices: as few as can be, at least one, of at least one element", "[unit][system]")
{
    const Slices slices = MakeSlices("100 B");
    CHECK(slices.CountFor({0, 1}) == 1);
    CHECK(slices.CountFor({100, 1}) == 1);
    CHECK(slices.CountFor({101, 1}) == 2);
    CHECK(slices.CountFor({201, 1}) == 3);
    CHECK(slices.CountFor({25, 4}) == 1);
    CHECK(slices.CountFor({26, 4}) == 2);
    CHECK(slices.CountFor({5, 1000}) == 5);
}

TEST_CASE("Slices: by default as many as the stages need, of at most 128 KiB", "[unit][system]")
{
    const Slices slices(Parameters::Parse({Slices::Spec()}, {}));
    CHECK(slices.CountFor({.elements = 8 * 1024, .stages = 4}) == 1);
    CHECK(slices.CountFor({.elements = 1'000'000, .stages = 2}) == 16);
    CHECK(slices.CountFor({.elements = 1'000'000, .stages = 0}) == 8); // counts as one
    CHECK(slices.CountFor({.elements = 1'000'000, .stages = 100}) == 32);
    CHECK(slices.CountFor({.elements = 64 * 128 * 1024, .stages = 100}) == 64);
    CHECK(slices.CountFor({.elements = 16 * 128 * 1024, .elementBytes = 4, .stages = 100}) == 64);
}

TEST_CASE("Slices: of no size are refused", "[unit][system]")
{
    CHECK_THROWS_WITH(MakeSlices("0 B"),
                      "slice: 0 B cuts nothing; write at least 1 B, such as 128 KiB");
    CHECK_THROWS_AS(MakeSlices("0 B"), ConfigError);
}
