// SPDX-License-Identifier: GPL-2.0-only
#include "network/event-loop/ns3/private-agenda.h"
#include "tests/support/event-recorder.h"
#include "tests/support/short-times.h"

#include <catch2/catch.hpp>

#include <vector>

using namespace nadi;
using namespace nadi::test;

TEST_CASE("PrivateAgenda: what is scheduled in the past runs then, in rounds, and the rest later",
          "[unit][packet]")
{
    Ns3EventLoop loop;
    EventRecorder recorder(loop);
    recorder.action = [&](uint64_t token)
    {
        if (token == 100)
        {
            PrivateAgenda past(loop, Ns(2));
            loop.ScheduleAt(Ns(5), Timer(2), recorder, 52);
            loop.ScheduleAt(Ns(5), Timer(1), recorder, 51);
            loop.ScheduleAt(Ns(12), Timer(1), recorder, 120);
            CHECK(past.NextAt() == Ns(5));
            past.StandAt(Ns(5));
            past.RunRounds();
            CHECK(past.NextAt() == Ns(12));
        }
        if (token == 51)
        {
            loop.ScheduleAt(loop.Now(), Timer(0), recorder, 53); // a further round
        }
    };
    loop.ScheduleAt(Ns(10), Timer(1), recorder, 100);
    loop.ScheduleAt(Ns(10), Timer(2), recorder, 101);
    loop.ScheduleAt(Ns(11), Timer(1), recorder, 110);
    loop.Run();
    const std::vector<EventRecorder::Entry> expected{{Ns(10), 100},
                                                     {Ns(5), 51},
                                                     {Ns(5), 52},
                                                     {Ns(5), 53},
                                                     {Ns(10), 101},
                                                     {Ns(11), 110},
                                                     {Ns(12), 120}};
    CHECK(recorder.entries == expected);
}

TEST_CASE("PrivateAgenda: what is due at the present goes to the loop's own rounds",
          "[unit][packet]")
{
    Ns3EventLoop loop;
    EventRecorder recorder(loop);
    recorder.action = [&](uint64_t token)
    {
        if (token == 100)
        {
            PrivateAgenda past(loop, Ns(3));
            loop.ScheduleAt(Ns(10), Timer(5), recorder, 105);
            past.StandAt(Ns(10));
        }
    };
    loop.ScheduleAt(Ns(10), Timer(1), recorder, 100);
    loop.ScheduleAt(Ns(10), Timer(9), recorder, 109);
    loop.Run();
    const std::vector<EventRecorder::Entry> expected{{Ns(10), 100}, {Ns(10), 105}, {Ns(10), 109}};
    CHECK(recorder.entries == expected);
}
