// SPDX-License-Identifier: GPL-2.0-only
#include "common/random-numbers.h"
#include "workload/serving/queue-watch.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <deque>

using namespace nadi;

namespace
{

/// Requests that arrive at random, and a server that takes one unit of time for each.
bool
HasQueueGrown(double load, uint64_t count, uint64_t seed)
{
    RandomNumbers random(seed, RandomPurpose::Arrivals);
    QueueWatch watch;
    std::deque<double> starts; // of those that wait
    double now = 0;
    double free = 0;
    for (uint64_t i = 0; i < count; ++i)
    {
        now -= std::log(random.Uniform()) / load;
        while (!starts.empty() && starts.front() <= now)
        {
            watch.Begin();
            starts.pop_front();
        }
        watch.Arrive();
        starts.push_back(std::max(now, free));
        free = starts.back() + 1;
    }
    return watch.HasGrownToTheEnd();
}

} // namespace

TEST_CASE("QueueWatch: a queue that grows evenly has grown, however many requests came",
          "[unit][workload][serving]")
{
    const uint64_t count = GENERATE(64, 100, 127, 128, 129, 1000, 1023, 1024, 1025, 4096);
    CAPTURE(count);
    QueueWatch watch;
    for (uint64_t arrived = 1; arrived <= count; ++arrived)
    {
        watch.Arrive();
        // Two of three are served.
        if (arrived % 3 != 0)
        {
            watch.Begin();
        }
    }
    CHECK(watch.HasGrownToTheEnd());
}

TEST_CASE("QueueWatch: a queue at a load below 1 has grown in few runs, and far above 1 in all",
          "[unit][workload][serving]")
{
    const uint64_t count = GENERATE(100, 256, 300, 1000, 1024);
    CAPTURE(count);
    const auto runsThatGrow = [count](double load)
    {
        int runs = 0;
        for (uint64_t seed = 1; seed <= 100; ++seed)
        {
            runs += HasQueueGrown(load, count, seed) ? 1 : 0;
        }
        return runs;
    };
    CHECK(runsThatGrow(0.5) == 0);
    CHECK(runsThatGrow(0.9) <= 10);
    CHECK(runsThatGrow(2) >= 98);
}
