// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "tests/support/communication-bench.h"
#include "tests/support/endpoint-delay.h"
#include "tests/support/usual-link.h"

#include <catch2/catch.hpp>

using namespace nadi;
using namespace nadi::test;

namespace
{

const Bandwidth BYTE_PER_NS = Bandwidth::FromBytesPerSecond(1'000'000'000);

CommunicationBench::Setup
MakeSetup(const std::vector<Dimension>& stack, const std::string& algorithm = "ring")
{
    CommunicationBench::Setup setup;
    setup.stack = stack;
    setup.options = MakeOptions(algorithm, stack);
    setup.options.scheduling.chunks = 1;
    setup.options.endpointDelay = ENDPOINT_DELAY;
    setup.latency = LATENCY;
    setup.bandwidth = BYTE_PER_NS;
    return setup;
}

CollectiveCall
MakeCollectiveCall(uint32_t rank, CollectiveType type, uint64_t elements)
{
    return {.rank = RankId{rank},
            .communicator = CommunicatorId{0},
            .call = 0,
            .type = type,
            .elements = elements,
            .root = {},
            .token = 1,
            .node = NodeId{100 + rank},
            .name = "c"};
}

/// Every rank calls it at time 0.
void
CallOnAll(CommunicationBench& bench, CollectiveType type, uint64_t elements)
{
    for (uint32_t rank = 0; rank < bench.RankCount(); ++rank)
    {
        bench.CallAt(SimTime(), MakeCollectiveCall(rank, type, elements));
    }
}

} // namespace

TEST_CASE("CollectiveRun: a ring all-reduce of four takes six steps of S/4", "[unit][system]")
{
    CommunicationBench bench(MakeSetup({MakeDimension("ring", 4)}));
    constexpr int64_t SIZE = 4000;
    CallOnAll(bench, CollectiveType::AllReduce, SIZE);
    bench.Run();
    // Each step waits for the message before: a shard on the wire, the link, the endpoint.
    const SimTime step = Bytes(SIZE / 4) / BYTE_PER_NS + LATENCY + ENDPOINT_DELAY;
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        CHECK(bench.CompletionOf(rank, 1).at == step * 6);
        CHECK(bench.Collectives().BytesSent(RankId{rank}) == Bytes(6 * SIZE / 4));
    }
    REQUIRE(bench.Records().size() == 1);
    CHECK(bench.Records().front().end == step * 6);
    CHECK(bench.Records().front().decision.algorithm == "ring");
    CHECK(bench.Network().ClosedStreams().count(MakeCollectiveStream(CommunicatorId{0}, 0)) == 1);
}

TEST_CASE("CollectiveRun: what is reduced waits for the reduction, what is copied does not",
          "[unit][system]")
{
    CommunicationBench::Setup setup = MakeSetup({MakeDimension("ring", 4)});
    const Bandwidth reduction = Bandwidth::FromBytesPerSecond(2'000'000'000);
    setup.options.reductionBandwidth = reduction;
    setup.options.endpointDelay = GENERATE(SimTime(), ENDPOINT_DELAY);
    CommunicationBench bench(setup);
    CallOnAll(bench, CollectiveType::AllReduce, 4000);
    bench.Run();
    const SimTime copy = Bytes(1000) / BYTE_PER_NS + LATENCY + setup.options.endpointDelay;
    const SimTime reduce = copy + Bytes(1000) / reduction;
    CHECK(bench.CompletionOf(2, 1).at == reduce * 3 + copy * 3);
}

TEST_CASE("CollectiveRun: lanes beyond the sends in flight wait for one to end", "[unit][system]")
{
    CommunicationBench::Setup setup = MakeSetup({MakeDimension("switch", 3)}, "direct");
    const uint32_t sendsInFlight = GENERATE(1U, 2U);
    setup.options.sendsInFlight = sendsInFlight;
    CommunicationBench bench(setup);
    CallOnAll(bench, CollectiveType::ReduceScatter, 3000);
    bench.Run();
    const SimTime wire = Bytes(1000) / BYTE_PER_NS;
    const SimTime lane = wire + LATENCY + ENDPOINT_DELAY;
    // Two lanes: one after the other, or both sent at once through a port that serialises them.
    CHECK(bench.CompletionOf(0, 1).at == (sendsInFlight == 1 ? lane * 2 : lane + wire));
}

TEST_CASE("CollectiveRun: a root has no more sends under way than may be in flight",
          "[unit][system]")
{
    const auto type = GENERATE(CollectiveType::Scatter, CollectiveType::Broadcast);
    // Five peers, at most this many of whose messages are under way: with 2, in queues of 3 and 2.
    const auto [sendsInFlight, rounds] =
        GENERATE(table<uint32_t, int64_t>({{1, 5}, {2, 3}, {4, 2}, {5, 1}, {64, 1}}));
    CAPTURE(sendsInFlight);
    CommunicationBench::Setup setup = MakeSetup({MakeDimension("fully-connected", 6)}, "direct");
    setup.options.sendsInFlight = sendsInFlight;
    // A hundred bytes take 0.1 us on the wire of a port that all messages share, so what a round
    // costs is the latency.
    setup.latency = SimTime::FromUs(100);
    CommunicationBench bench(setup);
    CallOnAll(bench, type, 100);
    bench.Run();
    REQUIRE(bench.Records().size() == 1);
    const int64_t duration = bench.Records().front().end.Ps();
    CHECK(duration / setup.latency.Ps() == rounds);
    // The root ends when its last message is delivered, as the last peer does.
    CHECK(bench.CompletionOf(0, 1).at.Ps() / setup.latency.Ps() == rounds);
    for (uint32_t rank = 1; rank < 6; ++rank)
    {
        CHECK(bench.CompletionOf(rank, 1).count == 1);
    }
}

TEST_CASE("CollectiveRun: a message that came before its step is ready by then", "[unit][system]")
{
    // One lane at a time; rank 2 is held up by another message. Rank 0 waits for it in its first
    // lane while rank 1, ahead, has already sent what rank 0 needs in its second.
    CommunicationBench::Setup setup = MakeSetup({MakeDimension("switch", 3)}, "direct");
    const Bandwidth reduction = Bandwidth::FromBytesPerSecond(500'000'000);
    setup.options.reductionBandwidth = reduction;
    setup.options.sendsInFlight = 1;
    CommunicationBench bench(setup);
    const Bytes obstacle(100'000);
    bench.CallAt(SimTime(),
                 PointToPointCall{.direction = PointToPointCall::Direction::Send,
                                  .rank = RankId{2},
                                  .peer = RankId{1},
                                  .tag = 0,
                                  .size = obstacle,
                                  .token = 2,
                                  .node = NodeId{1},
                                  .name = "obstacle"});
    CallOnAll(bench, CollectiveType::ReduceScatter, 3000);
    bench.Run();
    const SimTime lane =
        Bytes(1000) / BYTE_PER_NS + LATENCY + ENDPOINT_DELAY + Bytes(1000) / reduction;
    REQUIRE(lane * 2 < obstacle / BYTE_PER_NS); // rank 1's message is long there
    // What rank 0 sends in its second lane is still to be delivered, in less time than a message
    // takes until it may be used.
    const SimTime delivery = Bytes(1000) / BYTE_PER_NS + LATENCY;
    REQUIRE(delivery < ENDPOINT_DELAY + Bytes(1000) / reduction);
    CHECK(bench.CompletionOf(0, 1).at == obstacle / BYTE_PER_NS + lane + delivery);
}

TEST_CASE("CollectiveRun: dimensions follow each other in a chunk", "[unit][system]")
{
    const std::vector<Dimension> stack = {MakeDimension("ring", 2), MakeDimension("ring", 4)};
    CommunicationBench bench(MakeSetup(stack));
    CallOnAll(bench, CollectiveType::AllReduce, 8000);
    bench.Run();
    const auto step = [](int64_t bytes)
    { return Bytes(bytes) / BYTE_PER_NS + LATENCY + ENDPOINT_DELAY; };
    // Reduce-scatter over two halves, all-reduce of a half over four, all-gather of the halves.
    const SimTime expected = step(4000) + step(1000) * 6 + step(4000);
    CHECK(bench.CompletionOf(5, 1).at == expected);
    CHECK(bench.Records().front().decision.algorithm == "ring+ring");
}

TEST_CASE("CollectiveRun: chunks in flight share a rank's port", "[unit][system]")
{
    CommunicationBench::Setup setup = MakeSetup({MakeDimension("ring", 4)});
    setup.options.scheduling.chunks = 2;
    setup.options.scheduling.chunksInFlight = GENERATE(1, 2);
    CommunicationBench bench(setup);
    CallOnAll(bench, CollectiveType::AllGather, 2000);
    bench.Run();
    const SimTime wire = Bytes(1000) / BYTE_PER_NS;
    const SimTime step = wire + LATENCY + ENDPOINT_DELAY;
    // One after the other: 2 x 3 steps. Together: the second chunk always follows the first, one
    // message behind, since a step (1510 ns) is shorter than two messages (2000 ns): the port is
    // busy from the start to the last message.
    const bool isSerial = setup.options.scheduling.chunksInFlight == 1;
    CHECK(bench.CompletionOf(0, 1).at ==
          (isSerial ? step * 6 : wire * 6 + LATENCY + ENDPOINT_DELAY));
}

TEST_CASE("CollectiveRun: a phase goes early while the one whose turn it is is not there",
          "[unit][system]")
{
    // The planner takes the second dimension for slow: all three chunks would meet there, and the
    // last one would go before the second. But all links have one rate.
    std::vector<Dimension> stack = {MakeDimension("ring", 2), MakeDimension("ring", 2)};
    stack[1].bandwidth = Bandwidth::FromBytesPerSecond(10'000'000);
    CommunicationBench::Setup setup = MakeSetup(stack);
    setup.latency = SimTime::FromNs(800);
    setup.options.scheduling.chunks = 3;
    setup.options.scheduling.chunksInFlight = 3;
    setup.options.scheduling.intraDimension = "lifo";
    CommunicationBench bench(setup);
    CallOnAll(bench, CollectiveType::ReduceScatter, 3 * 2000);
    bench.Run();
    // A chunk sends 1000 bytes in the first dimension and 500 in the second. As the second chunk
    // does not wait for the third, the port is busy from the start to the last message:
    //   0..1000 ns first, ..2000 second, ..3000 third, 500 ns more for each one's second phase.
    const SimTime wire = Bytes(1000) / BYTE_PER_NS;
    const SimTime later = setup.latency + ENDPOINT_DELAY;
    REQUIRE((later < wire && wire < later * 2)); // else waiting would not show
    CHECK(bench.CompletionOf(0, 1).at == Bytes(3 * 1000 + 3 * 500) / BYTE_PER_NS + later);
}

TEST_CASE("CollectiveRun: a group of one, and nothing to cross, complete at the instant",
          "[unit][system]")
{
    CommunicationBench::Setup setup = MakeSetup({MakeDimension("ring", 2)});
    setup.communicators = {{.id = {}, .ranks = {RankId{1}}}};
    setup.options.concurrentCollectives = 1;
    CommunicationBench bench(setup);
    CollectiveCall call = MakeCollectiveCall(1, CollectiveType::AllReduce, 64);
    call.communicator = CommunicatorId{1};
    bench.CallAt(SimTime::FromNs(7), call);
    bench.Run();
    CHECK(bench.CompletionOf(1, 1).count == 1);
    CHECK(bench.CompletionOf(1, 1).at == SimTime::FromNs(7));
    CHECK(bench.Network().Sent().empty());
}

TEST_CASE("CollectiveRun: a barrier ends when the last rank came and heard of the others",
          "[unit][system]")
{
    CommunicationBench bench(MakeSetup({MakeDimension("switch", 3)}, "direct"));
    for (uint32_t rank = 0; rank < 3; ++rank)
    {
        bench.CallAt(SimTime::FromNs(1000 * rank),
                     MakeCollectiveCall(rank, CollectiveType::Barrier, 0));
    }
    bench.Run();
    CHECK(bench.CompletionOf(0, 1).at >= SimTime::FromNs(2000) + LATENCY + ENDPOINT_DELAY);
    CHECK(bench.Collectives().BytesSent(RankId{0}) == Bytes(0));
    CHECK_FALSE(bench.Network().Sent().empty());
}

TEST_CASE("CollectiveRun: an all-to-all of different sizes goes straight, each with its own row",
          "[unit][system]")
{
    const std::vector<Dimension> stack = {MakeDimension("ring", 2), MakeDimension("ring", 2)};
    CommunicationBench::Setup setup = MakeSetup(stack, "ring");
    setup.options.scheduling.chunks = 2;
    CommunicationBench bench(setup);
    constexpr uint64_t ROW = 4 * 2 * 50; // divisible by members and chunks
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        bench.CallAt(SimTime(), MakeCollectiveCall(rank, CollectiveType::AllToAll, ROW * rank));
    }
    bench.Run();
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        CHECK(bench.CompletionOf(rank, 1).count == 1);
        CHECK(bench.Collectives().BytesSent(RankId{rank}) ==
              Bytes(static_cast<int64_t>(ROW * rank * 3 / 4)));
    }
    CHECK(bench.Network().Sent().size() == 4 * 3 * 2);
    for (const auto& [message, sent] : bench.Network().Sent())
    {
        CHECK(message.size == Bytes(static_cast<int64_t>(ROW * message.source.value / 4 / 2)));
    }
    CHECK(bench.Records().front().size == Bytes(ROW * 3));
    CHECK(bench.Records().front().decision.algorithm == "direct");
}

TEST_CASE("CollectiveRun: gather and scatter of different sizes move each member's own",
          "[unit][system]")
{
    const auto type = GENERATE(CollectiveType::Gather, CollectiveType::Scatter);
    const std::vector<Dimension> stack = {MakeDimension("ring", 2), MakeDimension("ring", 2)};
    CommunicationBench bench(MakeSetup(stack));
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        CollectiveCall call = MakeCollectiveCall(rank, type, 100 + rank);
        call.root = RankId{1};
        bench.CallAt(SimTime(), call);
    }
    bench.Run();
    CHECK(bench.Network().Sent().size() == 3);
    for (const auto& [message, sent] : bench.Network().Sent())
    {
        const bool isGather = type == CollectiveType::Gather;
        const VertexId other = isGather ? message.source : message.destination;
        CHECK((isGather ? message.destination : message.source) == VertexId{1});
        CHECK(message.size == Bytes(100 + other.value));
    }
}

TEST_CASE("CollectiveRun: a flat choice crosses all dimensions at once", "[unit][system]")
{
    const std::vector<Dimension> stack = {MakeDimension("ring", 2), MakeDimension("ring", 3)};
    CommunicationBench::Setup setup = MakeSetup(stack);
    setup.options.algorithms[CollectiveType::AllToAll] = {.perDimension = {{"direct", {}}},
                                                          .isFlat = true};
    CommunicationBench bench(setup);
    CallOnAll(bench, CollectiveType::AllToAll, 600);
    bench.Run();
    CHECK(bench.Network().Sent().size() == 6 * 5);
    CHECK(bench.Collectives().BytesSent(RankId{4}) == Bytes(600 / 6 * 5));
}

TEST_CASE("CollectiveRun: an algorithm without the phase leaves it to that type's own",
          "[unit][system]")
{
    const std::vector<Dimension> stack = {MakeDimension("ring", 4), MakeDimension("ring", 2)};
    CommunicationBench::Setup setup = MakeSetup(stack);
    const ComponentChoice tree{"double-binary-tree", {}};
    setup.options.algorithms[CollectiveType::AllReduce].perDimension = {tree, tree};
    CommunicationBench bench(setup);
    CallOnAll(bench, CollectiveType::AllReduce, 800);
    bench.Run();
    CHECK(bench.CompletionOf(7, 1).count == 1);
    CHECK(bench.Records().front().decision.algorithm == "double-binary-tree+double-binary-tree");
}

TEST_CASE("CollectiveRun: an unknown algorithm lists the known ones", "[unit][system]")
{
    CommunicationBench::Setup setup = MakeSetup({MakeDimension("ring", 4)});
    setup.options.algorithms[CollectiveType::AllReduce].perDimension = {{"rong", {}}};
    CommunicationBench bench(setup);
    CallOnAll(bench, CollectiveType::AllReduce, 800);
    CHECK_THROWS_MATCHES(bench.Run(),
                         ConfigError,
                         Catch::Matchers::Message("system.collectives: no algorithm is called rong "
                                                  "(did you mean ring?)"));
}
