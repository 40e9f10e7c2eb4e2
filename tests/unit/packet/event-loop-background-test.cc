// SPDX-License-Identifier: GPL-2.0-only
// What happens in the background does not keep a run going, in whatever order events come.
#include "network/event-loop/ns3/ns3-event-loop.h"
#include "tests/support/event-recorder.h"
#include "tests/support/manual-event-loop.h"
#include "tests/support/scripted-fabric.h"
#include "tests/support/short-times.h"

#include <catch2/catch.hpp>

#include <optional>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

EventOrder
Background(uint64_t identity)
{
    return {EventOrder::Kind::Background, {identity, 0, 0, 0}};
}

using Times = std::vector<SimTime>;

} // namespace

TEMPLATE_TEST_CASE("EventLoop: background alone ends at once",
                   "[unit][packet]",
                   Ns3EventLoop,
                   ManualEventLoop)
{
    TestType loop;
    const BackgroundTicker first(loop, Us(10), 1);
    const BackgroundTicker second(loop, Us(7), 2);
    loop.Run();
    CHECK(first.times.empty());
    CHECK(second.times.empty());
    CHECK(loop.Now() == SimTime());
}

TEMPLATE_TEST_CASE("EventLoop: background happens up to the last progress, that instant included",
                   "[unit][packet]",
                   Ns3EventLoop,
                   ManualEventLoop)
{
    TestType loop;
    EventRecorder recorder(loop);
    const BackgroundTicker ticker(loop, Us(10));
    const auto [last, expected] =
        GENERATE(table<SimTime, Times>({{Us(10) + SimTime::FromPs(-1), {}},
                                        {Us(10), {Us(10)}},
                                        {Us(29), {Us(10), Us(20)}},
                                        {Us(30), {Us(10), Us(20), Us(30)}}}));
    loop.ScheduleAt(last, Timer(0), recorder, 1);
    loop.Run();
    CHECK(ticker.times == expected);
    CHECK(recorder.entries == Entries{{last, 1}});
}

TEMPLATE_TEST_CASE("EventLoop: several in the background do not keep each other going",
                   "[unit][packet]",
                   Ns3EventLoop,
                   ManualEventLoop)
{
    TestType loop;
    EventRecorder recorder(loop);
    const BackgroundTicker slow(loop, Us(10), 1);
    const BackgroundTicker quick(loop, Us(3), 2);
    loop.ScheduleAt(Us(11), Timer(0), recorder, 1);
    loop.Run();
    CHECK(slow.times == Times{Us(10)});
    CHECK(quick.times == Times{Us(3), Us(6), Us(9)});
}

TEMPLATE_TEST_CASE("EventLoop: background comes last in its round",
                   "[unit][packet]",
                   Ns3EventLoop,
                   ManualEventLoop)
{
    TestType loop;
    EventRecorder recorder(loop);
    recorder.action = [&](uint64_t token)
    {
        if (token == 2)
        {
            loop.ScheduleAt(loop.Now(), Timer(0), recorder, 5);
            loop.ScheduleAt(loop.Now(), Background(0), recorder, 6);
        }
    };
    loop.ScheduleAt(Us(1), Background(1), recorder, 4);
    loop.ScheduleAt(Us(1), Background(0), recorder, 3);
    loop.ScheduleAt(Us(1), Timer(9), recorder, 2);
    loop.ScheduleAt(Us(1), {EventOrder::Kind::Delivery, {9, 9, 9, 9}}, recorder, 1);
    loop.Run();
    CHECK(recorder.entries ==
          Entries{{Us(1), 1}, {Us(1), 2}, {Us(1), 3}, {Us(1), 4}, {Us(1), 5}, {Us(1), 6}});
}

TEMPLATE_TEST_CASE("EventLoop: progress that the background starts keeps the run going",
                   "[unit][packet]",
                   Ns3EventLoop,
                   ManualEventLoop)
{
    TestType loop;
    EventRecorder recorder(loop);
    recorder.action = [&](uint64_t token)
    {
        if (token == 2)
        {
            loop.ScheduleAt(Us(9), Timer(0), recorder, 3);
        }
    };
    loop.ScheduleAt(Us(5), Timer(0), recorder, 1);
    loop.ScheduleAt(Us(5), Background(0), recorder, 2);
    loop.ScheduleAt(Us(9), Background(0), recorder, 4);
    loop.ScheduleAt(Us(10), Background(0), recorder, 5);
    loop.Run();
    CHECK(recorder.entries == Entries{{Us(5), 1}, {Us(5), 2}, {Us(9), 3}, {Us(9), 4}});
}

TEST_CASE("Ns3EventLoop: a later background entry does not keep an earlier one going",
          "[unit][packet]")
{
    Ns3EventLoop loop;
    EventRecorder recorder(loop);
    loop.ScheduleAt(Us(50), Background(0), recorder, 2);
    // By then the wake-up for 50 us is pending.
    ScheduleInFabric(Us(5), [&] { loop.ScheduleAt(Us(20), Background(0), recorder, 1); });
    SECTION("nothing is left at 20 us")
    {
        loop.Run();
        CHECK(recorder.entries.empty());
    }
    SECTION("the fabric goes on until 30 us")
    {
        ScheduleInFabric(Us(30), [] {});
        loop.Run();
        CHECK(recorder.entries == Entries{{Us(20), 1}});
    }
    SECTION("a timer is left at 50 us")
    {
        loop.ScheduleAt(Us(50), Timer(0), recorder, 3);
        loop.Run();
        CHECK(recorder.entries == Entries{{Us(20), 1}, {Us(50), 3}, {Us(50), 2}});
    }
}

TEST_CASE("Ns3EventLoop: events of the fabric alone let the background happen until their last",
          "[unit][packet]")
{
    Ns3EventLoop loop;
    const BackgroundTicker ticker(loop, Us(10));
    ScheduleInFabric(Us(4), [] { ScheduleInFabric(Us(21), [] {}); });
    loop.Run();
    CHECK(ticker.times == Times{Us(10), Us(20)});
    loop.Run();
    CHECK(ticker.times.size() == 2); // forgotten
}

TEST_CASE("Ns3EventLoop: in any order of an instant's events the same background happens",
          "[unit][packet]")
{
    const uint64_t seed = GENERATE(range<uint64_t>(0, 20)); // 20 seeds put the wake-up anywhere
    Ns3EventLoop loop(seed);
    const BackgroundTicker ticker(loop, Us(10));
    const auto atTheEndOf = [](std::function<void()> action)
    { return [action] { ScheduleInFabric(SimTime(), action); }; };
    for (const int64_t us : {10, 20, 30})
    {
        ScheduleInFabric(Us(us), [] {});
        ScheduleInFabric(Us(us), atTheEndOf([] {}));
    }
    SECTION("the last instant leaves nothing behind")
    {
        loop.Run();
        CHECK(ticker.times == Times{Us(10), Us(20)});
    }
    SECTION("an arrival leaves something behind")
    {
        ScheduleInFabric(Us(30), [] { ScheduleInFabric(SimTime::FromPs(1), [] {}); });
        loop.Run();
        CHECK(ticker.times == Times{Us(10), Us(20), Us(30)});
    }
    SECTION("the end of the instant leaves something behind")
    {
        ScheduleInFabric(Us(30), atTheEndOf([] { ScheduleInFabric(SimTime::FromPs(1), [] {}); }));
        loop.Run();
        CHECK(ticker.times == Times{Us(10), Us(20), Us(30)});
    }
    SECTION("the end of the instant delivers")
    {
        EventRecorder recorder(loop);
        ScheduleInFabric(Us(30),
                         atTheEndOf([&] { loop.ScheduleAt(Us(30), Timer(0), recorder, 1); }));
        loop.Run();
        CHECK(recorder.entries == Entries{{Us(30), 1}});
        CHECK(ticker.times == Times{Us(10), Us(20), Us(30)});
    }
}

TEST_CASE("Ns3EventLoop: a stopped run does not forget its background", "[unit][packet]")
{
    Ns3EventLoop loop;
    EventRecorder recorder(loop);
    recorder.action = [&](uint64_t token)
    {
        if (token <= 2)
        {
            loop.Stop();
        }
    };
    loop.ScheduleAt(Us(10), Timer(0), recorder, 1);
    loop.ScheduleAt(Us(10), Background(0), recorder, 2);
    loop.ScheduleAt(Us(10), Background(1), recorder, 3);
    loop.ScheduleAt(Us(11), Background(0), recorder, 4);
    loop.Run();
    CHECK(recorder.entries == Entries{{Us(10), 1}});
    loop.Run();
    CHECK(recorder.entries == Entries{{Us(10), 1}, {Us(10), 2}});
    loop.ScheduleAt(Us(12), Timer(0), recorder, 5);
    loop.Run();
    CHECK(recorder.entries ==
          Entries{{Us(10), 1}, {Us(10), 2}, {Us(10), 3}, {Us(11), 4}, {Us(12), 5}});
}

namespace
{

/// A network that waits for the background, until it is told not to.
class Waiting : public EndOfArrivalsListener
{
  public:
    void OnEndOfArrivals() override
    {
    }

    bool AwaitsBackground() const override
    {
        return isWaiting;
    }

    bool isWaiting = true;
};

} // namespace

TEST_CASE("Ns3EventLoop: the background that the network awaits happens, and no more of it",
          "[unit][packet]")
{
    Ns3EventLoop loop;
    Waiting network;
    loop.SetEndOfArrivalsListener(network);
    EventRecorder recorder(loop);
    recorder.action = [&](uint64_t token) { network.isWaiting = token != 2; };
    loop.ScheduleAt(Us(1), Timer(0), recorder, 0);
    for (const uint64_t token : {1, 2, 3})
    {
        loop.ScheduleAt(Us(10 * static_cast<int64_t>(token)), Background(token), recorder, token);
    }
    loop.Run();
    CHECK(recorder.entries == Entries{{Us(1), 0}, {Us(10), 1}, {Us(20), 2}});
}
