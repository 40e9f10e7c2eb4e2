// SPDX-License-Identifier: GPL-2.0-only
#include "network/event-loop/ns3/ns3-event-loop.h"
#include "tests/support/event-recorder.h"
#include "tests/support/scripted-fabric.h"
#include "tests/support/short-times.h"

#include <catch2/catch.hpp>

#include <stdexcept>
#include <utility>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// A fabric that keeps what arrives until all of an instant has come, and delivers it then: at an
/// event of its own, or when the loop says so, whichever comes first.
class CollectingFabric : public EndOfArrivalsListener
{
  public:
    CollectingFabric(EventLoop& loop, EventHandler& handler)
        : m_loop(loop)
        , m_handler(handler)
    {
    }

    void ScheduleArrival(SimTime at, uint64_t identity)
    {
        ScheduleInFabric(at,
                         [this, identity]
                         {
                             m_inbox.push_back(identity);
                             ScheduleInFabric(SimTime(), [this] { OnEndOfArrivals(); });
                         });
    }

    void OnEndOfArrivals() override
    {
        for (const uint64_t identity : std::exchange(m_inbox, {}))
        {
            m_loop.ScheduleAt(m_loop.Now(),
                              {EventOrder::Kind::Delivery, {identity, 0, 0, 0}},
                              m_handler,
                              identity);
        }
    }

  private:
    EventLoop& m_loop;
    EventHandler& m_handler;
    std::vector<uint64_t> m_inbox;
};

} // namespace

TEST_CASE("EndOfArrivalsListener: its deliveries stand in the first round, sorted with timers",
          "[unit][packet]")
{
    const uint64_t seed = GENERATE(range<uint64_t>(0, 20));
    Ns3EventLoop loop(seed);
    EventRecorder recorder(loop);
    CollectingFabric fabric(loop, recorder);
    loop.SetEndOfArrivalsListener(fabric);
    recorder.action = [&](uint64_t token)
    {
        if (token == 1) // the first handler of the instant
        {
            loop.ScheduleAt(
                Ns(5), {EventOrder::Kind::Delivery, {0, 0, 0, 0}}, recorder, 9); // another round
        }
    };
    loop.ScheduleAt(Ns(5), {EventOrder::Kind::Background, {}}, recorder, 8);
    loop.ScheduleAt(Ns(5), {EventOrder::Kind::Timer, {0, 0, 0, 0}}, recorder, 4);
    fabric.ScheduleArrival(Ns(5), 3);
    fabric.ScheduleArrival(Ns(5), 1);
    fabric.ScheduleArrival(Ns(5), 2);
    fabric.ScheduleArrival(Ns(7), 6);
    loop.Run();
    CHECK(recorder.entries ==
          Entries{
              {Ns(5), 1}, {Ns(5), 2}, {Ns(5), 3}, {Ns(5), 4}, {Ns(5), 8}, {Ns(5), 9}, {Ns(7), 6}});
}

TEST_CASE("EndOfArrivalsListener: its deliveries are found where only a timer brought the instant",
          "[unit][packet]")
{
    // No event of the fabric at 5 ns: only the loop can tell it that the instant ends.
    class LateDelivery : public EndOfArrivalsListener
    {
      public:
        LateDelivery(EventLoop& loop, EventHandler& handler)
            : m_loop(loop)
            , m_handler(handler)
        {
        }

        void OnEndOfArrivals() override
        {
            calls.push_back(m_loop.Now());
            if (calls.size() == 1)
            {
                m_loop.ScheduleAt(m_loop.Now(), {EventOrder::Kind::Delivery, {}}, m_handler, 1);
                m_loop.ScheduleAt(Ns(6), {EventOrder::Kind::Timer, {}}, m_handler, 3);
            }
        }

        std::vector<SimTime> calls;

      private:
        EventLoop& m_loop;
        EventHandler& m_handler;
    };

    Ns3EventLoop loop;
    EventRecorder recorder(loop);
    LateDelivery late(loop, recorder);
    loop.SetEndOfArrivalsListener(late);
    loop.ScheduleAt(Ns(5), {EventOrder::Kind::Timer, {}}, recorder, 2);
    loop.Run();
    CHECK(recorder.entries == Entries{{Ns(5), 1}, {Ns(5), 2}, {Ns(6), 3}});
    CHECK(late.calls == std::vector<SimTime>{Ns(5), Ns(6)});
}

TEST_CASE("EndOfArrivalsListener: what it throws comes out of Run as it was", "[unit][packet]")
{
    class Thrower : public EndOfArrivalsListener
    {
      public:
        void OnEndOfArrivals() override
        {
            throw std::runtime_error("lost a frame");
        }
    };

    Ns3EventLoop loop;
    EventRecorder recorder(loop);
    Thrower thrower;
    loop.SetEndOfArrivalsListener(thrower);
    loop.ScheduleAt(Ns(5), {EventOrder::Kind::Timer, {}}, recorder, 1);
    CHECK_THROWS_WITH(loop.Run(), "lost a frame");
    CHECK(recorder.entries.empty());
}
