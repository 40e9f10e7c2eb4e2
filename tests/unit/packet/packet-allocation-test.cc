// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/allocation-count.h"
#include "tests/support/packet-net.h"

#include <catch2/catch.hpp>
#include <ns3/fabric-event.h>
#include <ns3/simulator.h>

#include <deque>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// Every NPU sends to its neighbour over and over: each delivery makes the receiver send on.
class Relay : public DeliveryListener
{
  public:
    Relay(uint32_t npus, uint64_t deliveries)
        : m_npus(npus)
        , m_deliveries(deliveries)
    {
    }

    void Start(NetworkBackend& backend)
    {
        m_backend = &backend;
        for (uint32_t i = 0; i < m_npus; ++i)
        {
            backend.Send(MakeMessage(i, (i + 1) % m_npus, Bytes(20'000)));
        }
    }

    void OnMessageDelivered(const Delivery& delivery) override
    {
        ++m_count;
        if (m_count == m_deliveries / 2)
        {
            m_atHalf = AllocationsSoFar().calls;
        }
        if (m_count == m_deliveries)
        {
            m_atEnd = AllocationsSoFar().calls;
        }
        if (m_count < m_deliveries)
        {
            const uint32_t here = delivery.message.destination.value;
            m_backend->Send(MakeMessage(here, (here + 1) % m_npus, Bytes(20'000)));
        }
    }

    uint64_t AtHalf() const
    {
        return m_atHalf;
    }

    uint64_t AtEnd() const
    {
        return m_atEnd;
    }

  private:
    uint32_t m_npus;
    uint64_t m_deliveries;
    NetworkBackend* m_backend = nullptr;
    uint64_t m_count = 0;
    uint64_t m_atHalf = 0;
    uint64_t m_atEnd = 0;
};

} // namespace

TEST_CASE("PacketBackend: the steady state allocates nothing", "[unit][packet]")
{
    const Topology topology =
        MakeStar(8, Bandwidth::FromBitsPerSecond(400'000'000'000), SimTime::FromNs(500));
    const ShortestPathRouting routing(topology);
    Ns3EventLoop loop;
    PacketOptions options;
    options.framesPerAcknowledgement = 2;
    options.memo = false; // it keeps what it has seen
    PacketBackend backend(topology, routing, options, loop);
    Relay relay(8, 4000);
    backend.SetListener(relay);
    relay.Start(backend);
    loop.Run();
    REQUIRE(relay.AtHalf() > 0);
    CHECK(relay.AtEnd() - relay.AtHalf() == 0);
}

namespace
{

/// Distances from a picosecond to a second, so that every part of the event queue is used.
class Distances
{
  public:
    int64_t Next()
    {
        m_state = m_state * 6364136223846793005U + 1442695040888963407U;
        return int64_t{1} << (m_state >> 33) % 40;
    }

  private:
    uint64_t m_state = 1;
};

/// Schedules its event again whenever that has run, for which it moves it three times and cancels
/// it once.
class Mover
{
  public:
    explicit Mover(Distances& distances)
        : m_distances(distances)
        , m_event(*this)
    {
        OnEvent();
    }

  private:
    void OnEvent()
    {
        for (uint32_t i = 0; i < 3; ++i)
        {
            m_event.ScheduleAt(ns3::FabricNow() + m_distances.Next());
        }
        m_event.Cancel();
        m_event.ScheduleAt(ns3::FabricNow() + m_distances.Next());
    }

    Distances& m_distances;
    ns3::FabricMethodEvent<&Mover::OnEvent> m_event;
};

void
ScheduleAgain(Distances* distances)
{
    const auto delay = static_cast<uint64_t>(distances->Next());
    ns3::Simulator::Schedule(ns3::TimeStep(delay), &ScheduleAgain, distances);
}

/// How many allocations the simulator makes until it has run `events` events.
uint64_t
CountAllocations(uint64_t events)
{
    ns3::FabricEventQueue& queue = *ns3::FabricSimulatorImpl::FindQueue();
    const uint64_t before = AllocationsSoFar().calls;
    for (uint64_t i = 0; i < events; ++i)
    {
        queue.TakeNext().Execute();
    }
    return AllocationsSoFar().calls - before;
}

} // namespace

TEST_CASE("FabricEvent: to schedule, move, cancel and execute it allocates nothing",
          "[unit][packet]")
{
    // The queue's blocks come in batches of 64, and 50 events never need more than 51.
    Ns3EventLoop loop;
    Distances distances;
    std::deque<Mover> movers;
    for (uint32_t i = 0; i < 50; ++i)
    {
        movers.emplace_back(distances);
    }
    CHECK(CountAllocations(10'000) == 0);
}

TEST_CASE("FabricSimulatorImpl: an event of ns-3's costs one allocation, its own", "[unit][packet]")
{
    Ns3EventLoop loop;
    Distances distances;
    for (uint32_t i = 0; i < 50; ++i)
    {
        ScheduleAgain(&distances);
    }
    CountAllocations(1'000); // the list of free carriers grows to its size
    CHECK(CountAllocations(10'000) == 10'000);
}
