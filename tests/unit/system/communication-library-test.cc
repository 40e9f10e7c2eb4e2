// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "tests/support/communication-bench.h"
#include "tests/support/config-error-text.h"
#include "tests/support/toy-library.h"

#include <catch2/catch.hpp>

using namespace nadi;
using namespace nadi::test;

namespace
{

using LibraryParameters = std::map<std::string, std::string>;

constexpr int64_t BUFFER = 1000;
const Bandwidth LINK_RATE = Bandwidth::FromBytesPerSecond(1'000'000'000);
/// A message with its flags on the wire, and the link.
const SimTime CROSSING = Bytes(2 * BUFFER) / LINK_RATE + SimTime::FromNs(500);

CommunicationBench::Setup
SetupWith(const LibraryParameters& parameters, uint32_t ranks = 2)
{
    CommunicationBench::Setup setup;
    setup.stack = {MakeDimension("switch", ranks)};
    setup.options = MakeOptions("direct", setup.stack);
    setup.options.scheduling.chunks = 1;
    setup.options.library = {"toy", parameters};
    return setup;
}

/// When rank 0 is done with a collective that all call at 0.
SimTime
RunAll(CommunicationBench& bench, CollectiveType type)
{
    for (uint32_t rank = 0; rank < bench.RankCount(); ++rank)
    {
        bench.CallAt(SimTime(),
                     CollectiveCall{.rank = RankId{rank},
                                    .communicator = CommunicatorId{0},
                                    .call = 0,
                                    .type = type,
                                    .elements = BUFFER,
                                    .root = {},
                                    .token = 1,
                                    .node = NodeId{rank},
                                    .name = "c"});
    }
    bench.Run();
    CHECK(bench.Loop().TieCount() == 0);
    CHECK(bench.CompletionOf(0, 1).count == 1);
    CHECK(bench.Collectives().Usage().phases == 0);
    CHECK(bench.Collectives().Usage().lanes == 0);
    CHECK(bench.Collectives().Usage().arrivals == 0);
    CHECK(bench.Collectives().Usage().held == 0);
    return bench.CompletionOf(0, 1).at;
}

SimTime
AllReduceTime(const LibraryParameters& parameters, uint32_t ranks = 2)
{
    CommunicationBench bench(SetupWith(parameters, ranks));
    return RunAll(bench, CollectiveType::AllReduce);
}

/// When the receives of `count` messages from rank 0 to rank 1 complete that are sent at 0.
std::vector<SimTime>
ReceiveTimes(const LibraryParameters& parameters, uint32_t count)
{
    CommunicationBench bench(SetupWith(parameters));
    for (uint32_t token = 0; token < count; ++token)
    {
        PointToPointCall call{.direction = PointToPointCall::Direction::Send,
                              .rank = RankId{0},
                              .peer = RankId{1},
                              .tag = token,
                              .size = Bytes(BUFFER),
                              .token = token,
                              .node = NodeId{token},
                              .name = "m"};
        bench.CallAt(SimTime(), call);
        call.direction = PointToPointCall::Direction::Receive;
        std::swap(call.rank, call.peer);
        bench.CallAt(SimTime(), call);
    }
    bench.Run();
    CHECK(bench.Loop().TieCount() == 0);
    std::vector<SimTime> times;
    for (uint32_t token = 0; token < count; ++token)
    {
        CHECK(bench.CompletionOf(0, token).count == 1);
        times.push_back(bench.CompletionOf(1, token).at);
    }
    return times;
}

} // namespace

TEST_CASE("CommunicationLibrary: plain is registered, and an unknown name is an error",
          "[unit][system]")
{
    CHECK(Registry<CommunicationLibrary>::Instance().Find("plain") != nullptr);
    SystemOptions options;
    options.library.name = "plane";
    CHECK(ConfigErrorText(
              [&] {
                  InstallLibrary({options, {}});
              }) == "there is no plane (did you mean plain?)");
}

TEST_CASE("CommunicationLibrary: all-reduces by a plan of its own, and says what it chose",
          "[unit][system]")
{
    // 1 B/ns to copy the buffer to scratch, 2 B/ns to reduce it from there.
    CommunicationBench bench(SetupWith({{"copy-rate", "1 GB/s"}, {"reduce-rate", "2 GB/s"}}));
    CHECK(RunAll(bench, CollectiveType::AllReduce) ==
          SimTime::FromNs(BUFFER) + CROSSING + SimTime::FromNs(BUFFER / 2));
    REQUIRE(bench.Records().size() == 1);
    const LibraryDecision& decision = bench.Records().front().decision;
    CHECK(decision.algorithm == "scratch-exchange");
    CHECK(decision.protocol == "LL");
    CHECK(decision.channels == 1);
    CHECK(decision.chosenBy == "place 0");
    CHECK(bench.Collectives().BytesSent(RankId{0}) == Bytes(BUFFER)); // payload only
    // Both ranks run the four lanes of the plan at once.
    CHECK(bench.PeakUsage().lanes <= 2 * 4);
    CHECK(bench.PeakUsage().held == 0);
}

TEST_CASE("CommunicationLibrary: leaves to algorithms by dimension what it has no plan for",
          "[unit][system]")
{
    CommunicationBench bench(SetupWith({{"start-delay", "30 ns"}, {"end-delay", "4 ns"}}));
    CHECK(RunAll(bench, CollectiveType::AllGather) == CROSSING + SimTime::FromNs(30 + 4));
    CHECK(bench.Records().front().decision.algorithm == "direct");
}

TEST_CASE("CommunicationLibrary: communicators at different places have programs of their own",
          "[unit][system]")
{
    CommunicationBench::Setup setup = SetupWith({}, 4);
    setup.communicators = {{.id = {}, .ranks = {RankId{0}, RankId{1}}},
                           {.id = {}, .ranks = {RankId{2}, RankId{3}}}};
    CommunicationBench bench(setup);
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        bench.CallAt(SimTime(),
                     CollectiveCall{.rank = RankId{rank},
                                    .communicator = CommunicatorId{1 + rank / 2},
                                    .call = 0,
                                    .type = CollectiveType::AllReduce,
                                    .elements = BUFFER,
                                    .root = {},
                                    .token = 1,
                                    .node = NodeId{rank},
                                    .name = "c"});
    }
    bench.Run();
    REQUIRE(bench.Records().size() == 2);
    CHECK(bench.Records()[0].decision.chosenBy != bench.Records()[1].decision.chosenBy);
}

TEST_CASE("CommunicationLibrary: the launch of a collective is a floor, not a sum",
          "[unit][system]")
{
    const SimTime run = AllReduceTime({});
    CHECK(AllReduceTime({{"launch", "1 ns"}}) == run);
    CHECK(AllReduceTime({{"launch", "50 us"}}) == SimTime::FromUs(50));
}

TEST_CASE("CommunicationLibrary: what a message waits for at its start and end adds to its time",
          "[unit][system]")
{
    const SimTime bare = AllReduceTime({});
    CHECK(AllReduceTime({{"start-delay", "30 ns"}}) == bare + SimTime::FromNs(30));
    CHECK(AllReduceTime({{"end-delay", "4 ns"}}) == bare + SimTime::FromNs(4));
}

TEST_CASE("CommunicationLibrary: an engine serves the messages of a rank one after the other",
          "[unit][system]")
{
    // Rank 0 sends to two others. The wire takes 2 ns for a byte with its flag, the engine 10 ns.
    const SimTime bare = AllReduceTime({}, 3);
    const SimTime wire = Bytes(2 * BUFFER) / LINK_RATE;
    CHECK(AllReduceTime({{"engine", "on"}, {"engine-rate", "100 MB/s"}}, 3) ==
          bare - wire + SimTime::FromNs(10 * BUFFER));
}

TEST_CASE("CommunicationLibrary: a message waits for a slot until another one was used",
          "[unit][system]")
{
    const SimTime round = CROSSING + SimTime::FromNs(7); // and the end of the message
    const LibraryParameters credits{{"end-delay", "7 ns"}, {"credit-delay", "5 us"}};
    LibraryParameters one = credits;
    one["slots"] = "1";
    const SimTime next = round + SimTime::FromUs(5);
    CHECK(ReceiveTimes(one, 3) == std::vector{round, next + round, next * 2 + round});
    // Two leave at once through one port, the third one when the first was used.
    LibraryParameters two = credits;
    two["slots"] = "2";
    const SimTime wire = Bytes(2 * BUFFER) / LINK_RATE;
    CHECK(ReceiveTimes(two, 3) == std::vector{round, round + wire, next + round});
    // Without the delay a slot is free at once.
    CHECK(ReceiveTimes({{"slots", "1"}}, 2) == std::vector{CROSSING, CROSSING * 2});
}

TEST_CASE("CommunicationLibrary: messages that are held back all leave in the end, in any mixture",
          "[unit][system]")
{
    const LibraryParameters all{{"slots", GENERATE("1", "2")},
                                {"credit-delay", GENERATE("0 ns", "300 ns")},
                                {"engine", GENERATE("on", "off")},
                                {"start-delay", GENERATE("0 ns", "70 ns")},
                                {"end-delay", "7 ns"},
                                {"launch", "1 us"}};
    CommunicationBench bench(SetupWith(all, 4));
    RunAll(bench, GENERATE(CollectiveType::AllReduce, CollectiveType::AllToAll));
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        CHECK(bench.CompletionOf(rank, 1).count == 1);
    }
    CHECK(ReceiveTimes(all, 5).size() == 5);
}

TEST_CASE("CommunicationLibrary: messages between two ranks leave late and end late",
          "[unit][system]")
{
    CHECK(ReceiveTimes({{"start-delay", "30 ns"}, {"end-delay", "4 ns"}}, 1) ==
          std::vector{CROSSING + SimTime::FromNs(30 + 4)});
}
