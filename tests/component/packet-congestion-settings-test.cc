// SPDX-License-Identifier: GPL-2.0-only
// Settings change results, in the direction that theory says.
#include "tests/support/congestion-bench.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

struct Incast
{
    SimTime finish;
    SimTime paused; ///< of all senders together
    Bytes longestQueue;
    NetworkTotals totals;
};

/// Eight NPUs send 1 MB each to a ninth at 100 Gb/s.
Incast
RunIncast(const PacketOptions& options)
{
    constexpr uint32_t SENDERS = 8;
    PacketNet net(
        MakeStar(SENDERS + 1, Bandwidth::FromBitsPerSecond(100'000'000'000), SimTime::FromNs(1000)),
        options);
    for (uint32_t sender = 0; sender < SENDERS; ++sender)
    {
        net.SendAt(SimTime(), MakeMessage(sender, SENDERS, Bytes(1'000'000)));
    }
    net.Run();
    Incast result;
    for (uint32_t sender = 0; sender < SENDERS; ++sender)
    {
        REQUIRE(net.Delivered(sender));
        result.finish = std::max(result.finish, *net.Delivered(sender));
        result.paused += net.Link(2 * sender).paused;
    }
    result.longestQueue = net.Link(2 * SENDERS + 1).maxQueue;
    result.totals = net.Backend().ReadTotals();
    return result;
}

PacketOptions
MakeIncastOptions()
{
    PacketOptions options;
    options.payload = Bytes(1000);
    options.header = Bytes(48);
    return options;
}

} // namespace

TEST_CASE("Settings: with PFC a larger buffer or share pauses less, and none of them drops",
          "[component][packet][congestion]")
{
    const auto run = [](int64_t buffer, double alpha)
    {
        PacketOptions options = MakeIncastOptions();
        options.pfc = PfcOptions{{}, alpha};
        options.buffer = Bytes(buffer);
        const Incast result = RunIncast(options);
        CHECK(result.totals.drops == 0);
        CHECK(result.longestQueue <= Bytes(buffer));
        return result;
    };
    const Incast small = run(1'000'000, 0.125);
    const Incast large = run(4'000'000, 0.125);
    const Incast greedy = run(4'000'000, 1);
    const Incast huge = run(100'000'000, 0.125);
    CHECK(small.paused > large.paused);
    CHECK(large.paused > greedy.paused);
    CHECK(small.longestQueue < large.longestQueue);
    CHECK(large.longestQueue < greedy.longestQueue);
    CHECK(huge.totals.pauses == 0);
    CHECK(huge.paused == SimTime());
    CHECK(huge.longestQueue > Bytes(6'900'000)); // seven of eight bytes wait
}

TEST_CASE("Settings: without PFC a smaller buffer drops more and the incast ends later",
          "[component][packet][congestion]")
{
    const auto run = [](int64_t buffer)
    {
        PacketOptions options = MakeIncastOptions();
        options.buffer = Bytes(buffer);
        return RunIncast(options);
    };
    const Incast small = run(500'000);
    const Incast enough = run(40'000'000);
    CHECK(small.totals.drops > 0);
    CHECK(small.totals.retransmissions > 0);
    CHECK(enough.totals.drops == 0);
    CHECK(small.finish > enough.finish);
}

TEST_CASE("Settings: higher marking thresholds hold a longer queue",
          "[component][packet][congestion]")
{
    for (const char* control : {"dcqcn", "dctcp"})
    {
        double before = 0;
        for (const int64_t factor : {1, 4, 16})
        {
            CongestionCase one = CongestionCase::Of(control, SimTime::FromNs(20'000'000));
            one.options.congestionControl.parameters =
                std::string(control) == "dctcp"
                    ? std::map<std::string, std::string>{{"max-window", "1000000"}}
                    : std::map<std::string, std::string>{{"increase-interval", "55us"},
                                                         {"decrease-interval", "50us"}};
            one.options.ecn = EcnOptions{Bytes(25'000 * factor), Bytes(100'000 * factor), 0.2};
            const CongestionSight seen = Watch(one);
            CAPTURE(control, factor, seen.meanQueue);
            CHECK(seen.meanQueue > before);
            before = seen.meanQueue;
        }
    }
}

TEST_CASE("Settings: congestion controls differ, and each holds the queue of an incast down",
          "[component][packet][congestion]")
{
    const Incast none = RunIncast(MakeIncastOptions());
    std::vector<SimTime> finishes{none.finish};
    for (const char* control : {"dcqcn", "hpcc", "swift", "dctcp", "timely"})
    {
        PacketOptions options = MakeIncastOptions();
        options.congestionControl.name = control;
        options.ecn = EcnOptions{Bytes(100'000), Bytes(400'000), 0.2};
        const Incast result = RunIncast(options);
        CAPTURE(control);
        CHECK(result.longestQueue < none.longestQueue);
        CHECK(result.finish > none.finish); // the receiver's link never rests without one
        finishes.push_back(result.finish);
    }
    std::sort(finishes.begin(), finishes.end());
    CHECK(std::adjacent_find(finishes.begin(), finishes.end()) == finishes.end());
}

TEST_CASE("Congestion controls without marks: slow senders down in an incast, not alone",
          "[component][packet]")
{
    for (const std::string control : {"hpcc", "timely", "swift"})
    {
        CAPTURE(control);
        PacketOptions options = MakeIncastOptions();
        options.congestionControl.name = control;
        CHECK(RunIncast(options).totals.slowdowns > 0);

        // Messages of one frame each never meet a queue, and are over before an answer comes.
        PacketNet alone(MakeStar(2, Bandwidth::FromBitsPerSecond(100'000'000'000), SimTime()),
                        options);
        alone.SendAt(SimTime(), MakeMessage(0, 1, Bytes(100)));
        alone.Run();
        CHECK(alone.Backend().ReadTotals().slowdowns == 0);
    }
}
