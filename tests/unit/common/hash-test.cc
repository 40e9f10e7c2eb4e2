// SPDX-License-Identifier: GPL-2.0-only
#include "common/hash.h"

#include <catch2/catch.hpp>

#include <bit>
#include <cstdint>
#include <string>

using namespace nadi;

TEST_CASE("Hash64: order, length and every word count", "[unit][common]")
{
    CHECK(Hash64({1, 2}) != Hash64({2, 1}));
    CHECK(Hash64({1}) != Hash64({1, 0}));
    CHECK(Hash64({0}) != Hash64({}));
    CHECK(Hash64({1, 2, 3}) == Hash64({1, 2, 3}));
}

TEST_CASE("Mix64: one input bit moves about half of the output bits", "[unit][common]")
{
    int moved = 0;
    for (int bit = 0; bit < 64; ++bit)
    {
        moved += std::popcount(Mix64(12345) ^ Mix64(12345 ^ (uint64_t{1} << bit)));
    }
    CHECK(moved > 64 * 28);
    CHECK(moved < 64 * 36);
}

TEST_CASE("Digest: the order of records does not matter, their words do", "[unit][common]")
{
    Digest forth;
    forth.Add({1, 10});
    forth.Add({2, 20});
    Digest back;
    back.Add({2, 20});
    back.Add({1, 10});
    CHECK(forth == back);

    Digest other;
    other.Add({1, 20});
    other.Add({2, 10});
    CHECK_FALSE(forth == other);
}

TEST_CASE("Digest: a record twice is not a record never", "[unit][common]")
{
    Digest twice;
    twice.Add({1});
    twice.Add({1});
    CHECK_FALSE(twice == Digest{});
}

TEST_CASE("Digest: adding a digest adds its records", "[unit][common]")
{
    Digest part;
    part.Add({2, 20});
    Digest sum;
    sum.Add({1, 10});
    sum.Add(part);
    Digest whole;
    whole.Add({1, 10});
    whole.Add({2, 20});
    CHECK(sum == whole);
}

TEST_CASE("Digest: its text is 32 hexadecimal digits", "[unit][common]")
{
    CHECK(Digest{}.Hex() == std::string(32, '0'));
    Digest digest;
    digest.Add({1});
    CHECK(digest.Hex().size() == 32);
    CHECK(digest.Hex().find_first_not_of("0123456789abcdef") == std::string::npos);
    CHECK(digest.Hex().substr(0, 16) != digest.Hex().substr(16));
}
