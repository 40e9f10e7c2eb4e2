// SPDX-License-Identifier: GPL-2.0-only

// How many events a second the event cores execute on this machine: ns-3's simulator with each of
// its schedulers, and FabricSimulatorImpl with events of ns-3's (Simulator::Schedule) and with
// FabricEvents. Hold model: each event that runs schedules another one, or itself, at a random
// distance (exponential, mean 100 ns), so that as many are pending all the time.
//
// Prints a table in CSV: events a second of each (0: not measured), and the ratios of the last two
// to the best of ns-3's schedulers.

#include "ns3/command-line.h"
#include "ns3/fabric-event.h"
#include "ns3/global-value.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <deque>
#include <iostream>
#include <random>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Random distances, drawn beforehand: a draw would cost more than an event.
class Distances
{
  public:
    Distances()
        : m_table(SIZE)
    {
        std::mt19937_64 random(1);
        std::exponential_distribution<double> distance(1e-5);
        for (uint64_t& entry : m_table)
        {
            entry = static_cast<uint64_t>(distance(random)) + 1;
        }
    }

    uint64_t Next()
    {
        m_next = (m_next + 1) % SIZE;
        return m_table[m_next];
    }

  private:
    static constexpr std::size_t SIZE = (1U << 16) + 1;

    std::vector<uint64_t> m_table;
    std::size_t m_next = 0;
};

/// What all events of a measurement share.
struct Hold
{
    Distances distances;
    uint64_t left = 0; ///< events until the run stops
};

Hold g_hold;

void
CountDown()
{
    if (--g_hold.left == 0)
    {
        Simulator::Stop();
    }
}

void
ScheduleAnother()
{
    Simulator::Schedule(TimeStep(g_hold.distances.Next()), &ScheduleAnother);
    CountDown();
}

/// A FabricEvent that schedules itself again.
class Holder
{
  public:
    Holder()
        : m_event(*this)
    {
        Schedule();
    }

  private:
    void OnEvent()
    {
        Schedule();
        CountDown();
    }

    void Schedule()
    {
        const auto distance = static_cast<int64_t>(g_hold.distances.Next());
        m_event.ScheduleAt(FabricNow() + distance);
    }

    FabricMethodEvent<&Holder::OnEvent> m_event;
};

/// Events a second of a simulator that has been filled. Processor time: others may be busy.
double
MeasureRun(uint32_t pending, uint64_t events)
{
    g_hold.left = pending; // first once around, so that memory is in its place
    Simulator::Run();
    g_hold.left = events;
    const std::clock_t started = std::clock();
    Simulator::Run();
    const std::clock_t took = std::clock() - started;
    return static_cast<double>(events) * CLOCKS_PER_SEC / static_cast<double>(took);
}

double
MeasureStock(uint32_t pending, uint64_t events)
{
    for (uint32_t i = 0; i < pending; ++i)
    {
        Simulator::Schedule(TimeStep(g_hold.distances.Next()), &ScheduleAnother);
    }
    const double rate = MeasureRun(pending, events);
    Simulator::Destroy();
    return rate;
}

double
MeasureIntrusive(uint32_t pending, uint64_t events)
{
    std::deque<Holder> holders(pending);
    const double rate = MeasureRun(pending, events);
    Simulator::Destroy();
    return rate;
}

/// With more pending, ns-3's calendar takes minutes: far from the best already at this number.
constexpr uint32_t SLOW_CALENDAR = 100'000;

void
PrintRow(uint32_t pending, uint64_t events)
{
    static const std::array<std::string, 4> schedulers{"Map", "Heap", "Calendar", "PriorityQueue"};
    double best = 0;
    std::cout << pending;
    GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::DefaultSimulatorImpl"));
    for (const std::string& scheduler : schedulers)
    {
        if (scheduler == "Calendar" && pending > SLOW_CALENDAR)
        {
            std::cout << ",0";
            continue;
        }
        GlobalValue::Bind("SchedulerType", StringValue("ns3::" + scheduler + "Scheduler"));
        const double rate = MeasureStock(pending, events);
        best = std::max(best, rate);
        std::cout << ',' << std::llround(rate) << std::flush;
    }
    GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::FabricSimulatorImpl"));
    const double stock = MeasureStock(pending, events);
    const double intrusive = MeasureIntrusive(pending, events);
    std::cout << ',' << std::llround(stock) << ',' << std::llround(intrusive) << ',' << stock / best
              << ',' << intrusive / best << std::endl;
}

} // namespace

int
main(int argc, char* argv[])
{
    uint32_t pending = 0;
    uint64_t events = 2'000'000;
    CommandLine command(__FILE__);
    command.AddValue("pending", "Events pending; 0: a row for each of 100 to 1000000", pending);
    command.AddValue("events", "Events to execute for each number", events);
    command.Parse(argc, argv);

    Time::SetResolution(Time::PS);
    std::cout << "pending,map,heap,calendar,priority_queue,fabric_schedule,fabric_event,"
                 "schedule_ratio,event_ratio\n";
    const std::vector<uint32_t> all{100, 1'000, 10'000, 100'000, 1'000'000};
    for (const uint32_t row : pending == 0 ? all : std::vector<uint32_t>{pending})
    {
        PrintRow(row, events);
    }
    return 0;
}
