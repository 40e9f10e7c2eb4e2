// SPDX-License-Identifier: GPL-2.0-only

// How many empty events a second ns-3 executes on this machine: the yardstick beside which the
// fabric's speed is reported. The default scheduler holds 1000 events; each one that runs
// schedules another at a random distance (the hold model), so that the queue keeps its size.
//
// Prints the rate and the number of events.

#include "ns3/command-line.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <chrono>
#include <cstdint>
#include <iostream>

using namespace ns3;

namespace
{

/// The next number of a small generator (xorshift): cheap beside an event.
uint64_t
NextRandom()
{
    static uint64_t state = 88172645463325252U;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

void
ScheduleAnother()
{
    Simulator::Schedule(PicoSeconds(static_cast<int64_t>(NextRandom() % 100000) + 1),
                        &ScheduleAnother);
}

} // namespace

int
main(int argc, char* argv[])
{
    uint32_t pending = 1000;
    uint64_t events = 4000000;
    CommandLine cmd(__FILE__);
    cmd.AddValue("pending", "Events in the queue at any time", pending);
    cmd.AddValue("events", "Events to execute, about", events);
    cmd.Parse(argc, argv);

    Time::SetResolution(Time::PS);
    for (uint32_t i = 0; i < pending; i++)
    {
        ScheduleAnother();
    }
    // Each event moves on by 50 ns on average: run as long as `events` of them take.
    Simulator::Stop(PicoSeconds(static_cast<int64_t>(events / pending * 50000)));
    const auto started = std::chrono::steady_clock::now();
    Simulator::Run();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
    const uint64_t executed = Simulator::GetEventCount();
    Simulator::Destroy();
    std::cout << static_cast<double>(executed) / took.count() << " " << executed << std::endl;
    return 0;
}
