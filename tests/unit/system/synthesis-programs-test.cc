// SPDX-License-Identifier: GPL-2.0-only
#include "network/make-routing.h"
#include "network/stack-topology.h"
#include "system/message-programs/program-proof.h"
#include "system/synthesis/program-writer.h"
#include "system/synthesis/wire-clock.h"
#include "tests/support/grid-topology.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <vector>

using namespace nadi;
using namespace nadi::synthesis;
using namespace nadi::test;

namespace
{

/// A line of NPUs, 1 byte per nanosecond, 10 ns.
RouteModel
RoutesOfLine(uint32_t npus)
{
    const Topology line = MakeGridTopology({{npus}, {1'000'000'000}, SimTime::FromNs(10)});
    return RouteModel(line, *MakeRouting(line), SimTime(), FirstRanks(npus));
}

// The ways of a line of three, in the order of (from, to).
constexpr uint32_t WAY_01 = 0;
constexpr uint32_t WAY_10 = 1;
constexpr uint32_t WAY_12 = 2;
constexpr uint32_t WAY_21 = 3;

MessageTimes
WireTimesOf(const RouteModel& model, Bytes size)
{
    PacketOptions packet;
    packet.header = Bytes(0);
    return MessageTimes(model, {.packet = packet, .endpointDelay = SimTime()}, size);
}

using StepAction = ProgramStep::Action;

} // namespace

TEST_CASE("Wire clock: a way is idle when its bits have left, and its message arrives later",
          "[unit][system]")
{
    const RouteModel model = RoutesOfLine(3);
    const MessageTimes times = WireTimesOf(model, Bytes(100));
    WireClock clock(model, times);
    CHECK(clock.IsQuiet());
    clock.Start(WAY_01, 7, 5);
    CHECK_FALSE(clock.IsIdle(WAY_01));
    CHECK(clock.IsIdle(WAY_10)); // the other direction
    clock.Await(WAY_01);
    std::vector<WireClock::Arrival> arrivals;
    std::vector<uint32_t> freed;
    clock.Advance(arrivals, freed);
    CHECK(clock.Now() == SimTime::FromNs(100).Ps());
    CHECK(clock.IsIdle(WAY_01));
    CHECK(freed == std::vector<uint32_t>{WAY_01});
    CHECK(arrivals.empty());
    clock.Advance(arrivals, freed);
    CHECK(clock.Now() == SimTime::FromNs(110).Ps() + 5);
    CHECK(arrivals == std::vector<WireClock::Arrival>{{WAY_01, 7}});
    CHECK(freed.empty());
    CHECK(clock.IsQuiet());
}

TEST_CASE("Program writer: a sum waits for all that is added to it", "[unit][system]")
{
    // Rank 1 adds what 0 and 2 send, and gives both the sum.
    const RouteModel model = RoutesOfLine(3);
    const Schedule schedule{MakeReduction(WAY_01, 0),
                            MakeReduction(WAY_21, 0),
                            MakeCopy(WAY_10, 0),
                            MakeCopy(WAY_12, 0)};
    const TransferWaits waits(model, schedule, 1, ChunkFlow::Spread);
    const MessageProgram program = WriteProgram(
        model, schedule, waits, {.type = CollectiveType::AllReduce, .ranks = 3, .chunks = 1});
    CHECK_FALSE(FindProgramFault(program).has_value());
    // Two lanes of receives, then two of sends.
    REQUIRE(program.LaneCount(1) == 4);
    CHECK(program.LaneAt(1, 0).receivePeer == 0);
    CHECK(program.LaneAt(1, 1).receivePeer == 2);
    for (const uint32_t lane : {2, 3})
    {
        const auto steps = program.StepsOf(1, lane);
        REQUIRE(steps.size() == 2);
        CHECK(steps[0].action == StepAction::Nothing);
        CHECK(steps[0].after == 0);
        CHECK(steps[1].action == StepAction::Send);
        CHECK(steps[1].after == 1);
    }
    // What rank 0 sends first waits for nothing.
    CHECK(program.StepsOf(0, 1)[0].after == ProgramStep::NONE);
}

TEST_CASE("Program writer: in an all-to-all each rank sends to the rank after it first",
          "[unit][system]")
{
    const Topology star = MakeStackTopology({{ComponentChoice("switch"),
                                              4,
                                              Bandwidth::FromBytesPerSecond(1'000'000'000),
                                              SimTime::FromNs(10)}});
    const RouteModel model(star, *MakeRouting(star), SimTime(), FirstRanks(4));
    Schedule schedule;
    for (uint32_t way = 0; way < model.WayCount(); ++way)
    {
        schedule.push_back(MakeCopy(way, model.At(way).from * 4 + model.At(way).to));
    }
    const TransferWaits waits(model, schedule, 16, ChunkFlow::Moved);
    const MessageProgram program = WriteProgram(
        model, schedule, waits, {.type = CollectiveType::AllToAll, .ranks = 4, .chunks = 4});
    CHECK_FALSE(FindProgramFault(program).has_value());
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        std::vector<uint32_t> receivers;
        for (uint32_t lane = 0; lane < program.LaneCount(rank); ++lane)
        {
            if (program.StepsOf(rank, lane).front().Sends())
            {
                receivers.push_back(program.LaneAt(rank, lane).sendPeer);
            }
        }
        CHECK(receivers == std::vector<uint32_t>{(rank + 1) % 4, (rank + 2) % 4, (rank + 3) % 4});
    }
}

TEST_CASE("Program writer: an all-to-all goes through scratch where it is relayed",
          "[unit][system]")
{
    // Chunk source * 3 + destination. What goes from one end to the other passes rank 1.
    const RouteModel model = RoutesOfLine(3);
    const Schedule schedule{MakeCopy(WAY_01, 2),
                            MakeCopy(WAY_12, 2),
                            MakeCopy(WAY_21, 6),
                            MakeCopy(WAY_10, 6),
                            MakeCopy(WAY_01, 1),
                            MakeCopy(WAY_12, 5),
                            MakeCopy(WAY_10, 3),
                            MakeCopy(WAY_21, 7)};
    const TransferWaits waits(model, schedule, 9, ChunkFlow::Moved);
    const MessageProgram program = WriteProgram(
        model, schedule, waits, {.type = CollectiveType::AllToAll, .ranks = 3, .chunks = 3});
    CHECK_FALSE(FindProgramFault(program).has_value());
    CHECK(program.Buffers().scratch == 2);
    CHECK_FALSE(program.Buffers().isInPlace);
    // From rank 0 first: to scratch, then to the place of rank 1's own.
    const auto received = program.StepsOf(1, 0);
    CHECK(received[0].place == program.Buffers().ScratchBegin());
    CHECK(received[1].place == 0);
    // At last each rank copies what it sends itself.
    const auto own = program.StepsOf(1, program.LaneCount(1) - 1);
    REQUIRE(own.size() == 1);
    CHECK(own[0].action == StepAction::Copy);
    CHECK(own[0].place == 1);
    CHECK(own[0].operand == 3 + 1);
}
