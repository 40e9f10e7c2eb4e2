// SPDX-License-Identifier: GPL-2.0-only
#include "common/hash.h"
#include "network/analytical/busy-times.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace nadi;

namespace
{

/// Takes in picoseconds.
int64_t
Take(BusyTimes& times, int64_t from, int64_t length, int64_t now = 0)
{
    return times.Take(SimTime::FromPs(from), SimTime::FromPs(length), SimTime::FromPs(now)).Ps();
}

/// The obvious model: one flag for each picosecond.
class PicosecondBoard
{
  public:
    int64_t Take(int64_t from, int64_t length)
    {
        auto at = static_cast<size_t>(from);
        for (; length > 0; ++at)
        {
            m_isTaken.resize(std::max(m_isTaken.size(), at + 1));
            length -= m_isTaken[at] ? 0 : 1;
            m_isTaken[at] = true;
        }
        return static_cast<int64_t>(at);
    }

  private:
    std::vector<bool> m_isTaken;
};

} // namespace

TEST_CASE("BusyTimes: free time is taken in one piece, as soon as wanted", "[unit][network]")
{
    BusyTimes times;
    CHECK(Take(times, 100, 10) == 110);
    CHECK(Take(times, 200, 5) == 205);
    CHECK(Take(times, 110, 90) == 200); // fits between, exactly
}

TEST_CASE("BusyTimes: what is wanted while it is taken begins afterwards", "[unit][network]")
{
    BusyTimes times;
    CHECK(Take(times, 100, 10) == 110);
    CHECK(Take(times, 100, 10) == 120);
    CHECK(Take(times, 105, 1) == 121);
}

TEST_CASE("BusyTimes: what does not fit before a taken span goes on after it", "[unit][network]")
{
    BusyTimes times;
    CHECK(Take(times, 100, 10) == 110);
    CHECK(Take(times, 120, 10) == 130);
    CHECK(Take(times, 95, 20) == 130 + (20 - 5 - 10)); // 5 before, 10 between
    CHECK(Take(times, 90, 6) == 135 + (6 - 5));        // 5 before
}

TEST_CASE("BusyTimes: agrees with one flag per picosecond, past times forgotten", "[unit][network]")
{
    for (uint64_t seed = 0; seed < 200; ++seed)
    {
        const auto draw = [&](uint64_t purpose, uint64_t step, uint64_t bound) {
            return static_cast<int64_t>(Hash64({seed, purpose, step}) % bound);
        };
        BusyTimes times;
        PicosecondBoard board;
        int64_t now = 0;
        for (uint64_t step = 0; step < 60; ++step)
        {
            now += draw(1, step, 12);
            const int64_t from = now + draw(2, step, 80);
            const int64_t length = 1 + draw(3, step, 20);
            CAPTURE(seed, step, now, from, length);
            REQUIRE(Take(times, from, length, now) == board.Take(from, length));
        }
    }
}

TEST_CASE("BusyTimes: messages that follow each other are one span", "[unit][network]")
{
    BusyTimes times;
    for (int64_t message = 0; message < 100; ++message)
    {
        CHECK(Take(times, 10 + message, 5) == 15 + 5 * message);
        CHECK(times.SpanCount() == 1);
    }
    CHECK(Take(times, 1000, 5) == 1005); // the port was free before
    CHECK(times.SpanCount() == 2);
    CHECK(Take(times, 2000, 5, 2000) == 2005); // all before is past
    CHECK(times.SpanCount() == 1);
}
