// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "common/error.h"
#include "network/event-loop/ns3/ns3-event-loop.h"
#include "tests/support/event-recorder.h"
#include "tests/support/scripted-fabric.h"
#include "tests/support/short-times.h"

#include <catch2/catch.hpp>

#include <optional>
#include <vector>

using namespace nadi;
using namespace nadi::test;

TEST_CASE("Ns3EventLoop: handlers run by time, then by EventOrder, not by order of scheduling",
          "[unit][packet]")
{
    const std::optional<uint64_t> scrambleSeed = GENERATE(as<std::optional<uint64_t>>{},
                                                          std::nullopt,
                                                          std::optional<uint64_t>(0),
                                                          std::optional<uint64_t>(7));
    Ns3EventLoop loop(scrambleSeed);
    EventRecorder recorder(loop);
    loop.ScheduleAt(Ns(5), Timer(2), recorder, 52);
    loop.ScheduleAt(Ns(3), Timer(9), recorder, 39);
    loop.ScheduleAt(Ns(5), Timer(1), recorder, 51);
    loop.ScheduleAt(Ns(5), {EventOrder::Kind::Delivery, {99, 0, 0, 0}}, recorder, 50);
    loop.ScheduleAt(Ns(0), Timer(1), recorder, 1);
    loop.ScheduleAt(Ns(9), Timer(1), recorder, 91);
    loop.Run();
    const std::vector<EventRecorder::Entry> expected{
        {Ns(0), 1}, {Ns(3), 39}, {Ns(5), 50}, {Ns(5), 51}, {Ns(5), 52}, {Ns(9), 91}};
    CHECK(recorder.entries == expected);
    CHECK(loop.Now() == Ns(9));
}

TEST_CASE("Ns3EventLoop: what a handler schedules for its own instant runs in a further round",
          "[unit][packet]")
{
    Ns3EventLoop loop;
    EventRecorder recorder(loop);
    recorder.action = [&](uint64_t token)
    {
        if (token == 10)
        {
            loop.ScheduleAt(loop.Now(), Timer(5), recorder, 15);
            loop.ScheduleAt(loop.Now(), Timer(1), recorder, 11);
            loop.ScheduleAt(Ns(8), Timer(1), recorder, 80);
        }
        if (token == 11)
        {
            loop.ScheduleAt(loop.Now(), Timer(0), recorder, 12);
        }
    };
    loop.ScheduleAt(Ns(7), Timer(10), recorder, 10);
    loop.ScheduleAt(Ns(7), Timer(20), recorder, 20);
    loop.Run();
    const std::vector<EventRecorder::Entry> expected{
        {Ns(7), 10}, {Ns(7), 20}, {Ns(7), 11}, {Ns(7), 15}, {Ns(7), 12}, {Ns(8), 80}};
    CHECK(recorder.entries == expected);
}

TEST_CASE("Ns3EventLoop: an earlier entry scheduled on the way is not missed", "[unit][packet]")
{
    Ns3EventLoop loop;
    EventRecorder recorder(loop);
    recorder.action = [&](uint64_t token)
    {
        if (token == 1)
        {
            loop.ScheduleAt(Ns(50), Timer(0), recorder, 2);
            loop.ScheduleAt(Ns(20), Timer(0), recorder, 3);
        }
    };
    loop.ScheduleAt(Ns(100), Timer(0), recorder, 4);
    loop.ScheduleAt(Ns(10), Timer(0), recorder, 1);
    loop.Run();
    const std::vector<EventRecorder::Entry> expected{
        {Ns(10), 1}, {Ns(20), 3}, {Ns(50), 2}, {Ns(100), 4}};
    CHECK(recorder.entries == expected);
    // The start, then a wake-up for each instant; the round-up at its end is no event.
    CHECK(loop.EventCount() == 1 + expected.size());
}

TEST_CASE("Ns3EventLoop: Stop ends the run after the present handler, Run goes on from there",
          "[unit][packet]")
{
    Ns3EventLoop loop;
    EventRecorder recorder(loop);
    recorder.action = [&](uint64_t token)
    {
        if (token == 1)
        {
            loop.Stop();
        }
    };
    loop.ScheduleAt(Ns(4), Timer(1), recorder, 1);
    loop.ScheduleAt(Ns(4), Timer(2), recorder, 2);
    loop.ScheduleAt(Ns(6), Timer(3), recorder, 3);
    loop.Run();
    CHECK(recorder.entries.size() == 1);
    CHECK(loop.Now() == Ns(4));
    loop.Run();
    const std::vector<EventRecorder::Entry> expected{{Ns(4), 1}, {Ns(4), 2}, {Ns(6), 3}};
    CHECK(recorder.entries == expected);
}

TEST_CASE("Ns3EventLoop: a stop that comes before Run ends that Run at once, and no other",
          "[unit][packet]")
{
    Ns3EventLoop loop;
    EventRecorder recorder(loop);
    loop.ScheduleAt(Ns(0), Timer(1), recorder, 1);
    loop.ScheduleAt(Ns(4), Timer(2), recorder, 2);
    uint32_t fabricEvents = 0;
    ScheduleInFabric(Ns(3), [&fabricEvents] { ++fabricEvents; });
    loop.Stop();
    loop.Run();
    CHECK(recorder.entries.empty());
    CHECK(fabricEvents == 0);
    CHECK(loop.Now() == Ns(0));
    loop.Run();
    CHECK(fabricEvents == 1);
    const std::vector<EventRecorder::Entry> expected{{Ns(0), 1}, {Ns(4), 2}};
    CHECK(recorder.entries == expected);
}

TEST_CASE("Ns3EventLoop: a stop while only the fabric has events ends the run there",
          "[unit][packet]")
{
    Ns3EventLoop loop;
    EventRecorder recorder(loop);
    loop.ScheduleAt(Ns(100), Timer(1), recorder, 1);
    std::vector<int64_t> fabric;
    for (const int64_t ns : {10, 20, 30})
    {
        ScheduleInFabric(Ns(ns),
                         [&fabric, &loop, ns]
                         {
                             fabric.push_back(ns);
                             if (ns == 20)
                             {
                                 loop.Stop();
                             }
                         });
    }
    loop.Run();
    CHECK(fabric == std::vector<int64_t>{10, 20});
    CHECK(loop.Now() == Ns(20));
    loop.Run();
    CHECK(fabric == std::vector<int64_t>{10, 20, 30});
    CHECK(recorder.entries == std::vector<EventRecorder::Entry>{{Ns(100), 1}});
}

TEST_CASE("Ns3EventLoop: what a handler throws comes out of Run as it was", "[unit][packet]")
{
    Ns3EventLoop loop;
    EventRecorder recorder(loop);
    recorder.action = [](uint64_t token)
    {
        switch (token)
        {
        case 1:
            throw ConfigError("a.yaml:1", "wrong; right");
        case 2:
            throw JobError("ranks differ");
        default:
            NADI_CHECK(token == 0);
        }
    };
    loop.ScheduleAt(Ns(1), Timer(1), recorder, 1);
    loop.ScheduleAt(Ns(2), Timer(1), recorder, 2);
    loop.ScheduleAt(Ns(2), Timer(2), recorder, 3);
    CHECK_THROWS_WITH(loop.Run(), "a.yaml:1: wrong; right");
    CHECK(recorder.entries.size() == 1);
    CHECK_THROWS_AS(loop.Run(), JobError);
    CHECK_THROWS_AS(loop.Run(), CheckFailure);
    CHECK(loop.Now() == Ns(2));
}

TEST_CASE("Ns3EventLoop: refuses the past", "[unit][packet]")
{
    Ns3EventLoop loop;
    EventRecorder recorder(loop);
    recorder.action = [&](uint64_t token)
    {
        if (token == 1)
        {
            loop.ScheduleAt(Ns(4), Timer(0), recorder, 2);
        }
    };
    loop.ScheduleAt(Ns(5), Timer(0), recorder, 1);
    CHECK_THROWS_AS(loop.Run(), CheckFailure);
}

TEST_CASE("Ns3EventLoop: several simulations can follow each other", "[unit][packet]")
{
    for (int i = 0; i < 3; ++i)
    {
        Ns3EventLoop loop;
        EventRecorder recorder(loop);
        CHECK(loop.Now() == SimTime());
        loop.ScheduleAt(Ns(5), Timer(0), recorder, 1);
        loop.Run();
        CHECK(recorder.entries.size() == 1);
    }
}
