// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "tests/support/communication-bench.h"
#include "tests/support/endpoint-delay.h"

#include <catch2/catch.hpp>

using namespace nadi;
using namespace nadi::test;

namespace
{

constexpr uint64_t SEND = 1;
constexpr uint64_t RECEIVE = 2;

/// 1000 bytes at 1 GB/s and 500 ns of latency.
const SimTime TRAVEL = SimTime::FromNs(1000 + 500);

CommunicationBench::Setup
FourRanks()
{
    CommunicationBench::Setup setup;
    setup.stack = {MakeDimension("ring", 4)};
    setup.options = MakeOptions("ring", setup.stack);
    setup.options.endpointDelay = ENDPOINT_DELAY;
    return setup;
}

PointToPointCall
MakeSend(uint32_t from, uint32_t to, uint64_t token = SEND)
{
    return {.direction = PointToPointCall::Direction::Send,
            .rank = RankId{from},
            .peer = RankId{to},
            .tag = 7,
            .size = Bytes(1000),
            .token = token,
            .node = NodeId{10 + token},
            .name = "send"};
}

PointToPointCall
MakeReceive(uint32_t at, uint32_t from, uint64_t token = RECEIVE)
{
    PointToPointCall call = MakeSend(at, from, token);
    call.direction = PointToPointCall::Direction::Receive;
    call.name = "recv";
    return call;
}

/// The same call, which takes recorded time. No wait: the trace does not say it.
PointToPointCall
WithRecordedTime(PointToPointCall call, int64_t ns, std::optional<int64_t> waitedNs)
{
    call.isReplayed = true;
    call.recorded = SimTime::FromNs(ns);
    if (waitedNs)
    {
        call.waited = SimTime::FromNs(*waitedNs);
    }
    return call;
}

} // namespace

TEST_CASE(
    "PointToPoint: a send completes when delivered, a waiting receive an endpoint delay later",
    "[unit][system]")
{
    CommunicationBench bench(FourRanks());
    bench.CallAt(SimTime(), MakeReceive(1, 0));
    bench.CallAt(SimTime::FromNs(100), MakeSend(0, 1));
    bench.Run();
    const SimTime delivered = SimTime::FromNs(100) + TRAVEL;
    CHECK(bench.CompletionOf(0, SEND).at == delivered);
    CHECK(bench.CompletionOf(1, RECEIVE).at == delivered + ENDPOINT_DELAY);
    CHECK(bench.MatchedReceives().at(RECEIVE) == SimTime::FromNs(100));
    CHECK(bench.Messages().BytesSent(RankId{0}) == Bytes(1000));
    CHECK(bench.Messages().FindPending().empty());
}

TEST_CASE(
    "PointToPoint: a late receive completes at its issue, one within the endpoint delay after",
    "[unit][system]")
{
    CommunicationBench bench(FourRanks());
    bench.CallAt(SimTime(), MakeSend(0, 1));
    const SimTime usable = TRAVEL + ENDPOINT_DELAY;
    const SimTime issue = GENERATE_COPY(usable - SimTime::FromPs(1), usable, usable + TRAVEL);
    bench.CallAt(issue, MakeReceive(1, 0));
    bench.Run();
    CHECK(bench.CompletionOf(1, RECEIVE).at == std::max(issue, usable));
    CHECK(bench.MatchedReceives().at(RECEIVE) == SimTime());
}

TEST_CASE("PointToPoint: a replay with known waits gives each end its own time", "[unit][system]")
{
    CommunicationBench bench(FourRanks());
    bench.CallAt(SimTime(), WithRecordedTime(MakeReceive(1, 0), 130, 100));
    bench.CallAt(SimTime::FromNs(100), WithRecordedTime(MakeSend(0, 1), 20, 0));
    bench.Run();
    CHECK(bench.CompletionOf(0, SEND).at == SimTime::FromNs(100 + 20));
    CHECK(bench.CompletionOf(1, RECEIVE).at == SimTime::FromNs(100 + 130 - 100));
    CHECK(bench.Network().Sent().empty());

    // The message was there before its receive was called. The send does not wait for that.
    CommunicationBench late(FourRanks());
    late.CallAt(SimTime(), WithRecordedTime(MakeSend(0, 1), 20, 0));
    late.CallAt(SimTime::FromNs(500), WithRecordedTime(MakeReceive(1, 0), 0, 0));
    late.Run();
    CHECK(late.CompletionOf(0, SEND).at == SimTime::FromNs(20));
    CHECK(late.CompletionOf(1, RECEIVE).at == SimTime::FromNs(500));
}

TEST_CASE("PointToPoint: a replayed receive ends when its message is there, whenever it is called",
          "[unit][system]")
{
    const auto endOf = [](int64_t sendNs, int64_t receiveNs, int64_t recordedNs, int64_t waitedNs)
    {
        CommunicationBench bench(FourRanks());
        bench.CallAt(SimTime::FromNs(sendNs), WithRecordedTime(MakeSend(0, 1), 200, 0));
        bench.CallAt(SimTime::FromNs(receiveNs),
                     WithRecordedTime(MakeReceive(1, 0), recordedNs, waitedNs));
        bench.Run();
        CHECK(bench.CompletionOf(0, SEND).at == SimTime::FromNs(sendNs + 200));
        return bench.CompletionOf(1, RECEIVE).at;
    };
    // It was called after the message had come, and now is called before.
    CHECK(endOf(0, 10, 0, 0) == SimTime::FromNs(200));
    CHECK(endOf(50, 10, 0, 0) == SimTime::FromNs(50 + 200));
    // It was called 50 ns before the message had come, and now is 120 ns earlier.
    CHECK(endOf(0, 30, 50, 0) == SimTime::FromNs(200));
    // It was called 50 ns before the message could be used, and now is after it.
    const int64_t usable = 200 + ENDPOINT_DELAY.Ps() / 1000;
    CHECK(endOf(0, 200, 50, 0) == SimTime::FromNs(usable));
    CHECK(endOf(0, usable, 50, 0) == SimTime::FromNs(usable));
    CHECK(endOf(0, 500, 50, 0) == SimTime::FromNs(500));
    // Nothing has changed: it is called while the endpoint delay passes.
    CHECK(endOf(0, usable - 4, 4, 0) == SimTime::FromNs(usable));
    // It waited for its send, and had the message 230 ns later. Now the message is under way, or
    // has come, when it is called.
    CHECK(endOf(0, 150, 330, 100) == SimTime::FromNs(230));
    CHECK(endOf(0, 500, 330, 100) == SimTime::FromNs(500));
}

TEST_CASE("PointToPoint: a replay without known waits gives both ends the shorter time",
          "[unit][system]")
{
    CommunicationBench bench(FourRanks());
    bench.CallAt(SimTime(), WithRecordedTime(MakeReceive(1, 0), 130, std::nullopt));
    bench.CallAt(SimTime::FromNs(100), WithRecordedTime(MakeSend(0, 1), 20, std::nullopt));
    bench.Run();
    CHECK(bench.CompletionOf(0, SEND).at == SimTime::FromNs(100 + 20));
    CHECK(bench.CompletionOf(1, RECEIVE).at == SimTime::FromNs(100 + 20));
}

TEST_CASE("PointToPoint: the n-th send meets the n-th receive of its source, destination and tag",
          "[unit][system]")
{
    CommunicationBench bench(FourRanks());
    bench.CallAt(SimTime(), MakeSend(0, 1, 10));
    bench.CallAt(SimTime::FromNs(1), MakeSend(0, 1, 11));
    PointToPointCall otherTag = MakeSend(0, 1, 12);
    otherTag.tag = 8;
    bench.CallAt(SimTime::FromNs(2), otherTag);
    bench.CallAt(SimTime::FromNs(3), MakeReceive(1, 0, 20));
    bench.CallAt(SimTime::FromNs(4), MakeReceive(1, 0, 21));
    PointToPointCall receiveOther = MakeReceive(1, 0, 22);
    receiveOther.tag = 8;
    bench.CallAt(SimTime::FromNs(5), receiveOther);
    bench.Run();
    CHECK(bench.MatchedReceives().at(20) == SimTime());
    CHECK(bench.MatchedReceives().at(21) == SimTime::FromNs(1));
    CHECK(bench.MatchedReceives().at(22) == SimTime::FromNs(2));
    CHECK(bench.CompletionOf(1, 21).at == bench.CompletionOf(0, 11).at + ENDPOINT_DELAY);
    CHECK(bench.Network().Sent()[1].first.key == MessageKey{7, 1});
    CHECK(bench.Network().Sent()[2].first.key == MessageKey{8, 0});
    CHECK(bench.Loop().TieCount() == 0);
}

TEST_CASE("PointToPoint: a send to oneself takes no time, network or endpoint", "[unit][system]")
{
    CommunicationBench bench(FourRanks());
    bench.CallAt(SimTime::FromNs(3), MakeSend(2, 2));
    const SimTime issue = GENERATE(SimTime::FromNs(1), SimTime::FromNs(3), SimTime::FromNs(9));
    bench.CallAt(issue, MakeReceive(2, 2));
    bench.Run();
    CHECK(bench.CompletionOf(2, SEND).at == SimTime::FromNs(3));
    CHECK(bench.CompletionOf(2, RECEIVE).at == std::max(issue, SimTime::FromNs(3)));
    CHECK(bench.CompletionOf(2, SEND).count == 1);
    CHECK(bench.Network().Sent().empty());
    CHECK(bench.Messages().BytesSent(RankId{2}) == Bytes(0));
}

TEST_CASE("PointToPoint: a receive may leave its size open but not contradict the send",
          "[unit][system]")
{
    CommunicationBench bench(FourRanks());
    PointToPointCall receive = MakeReceive(1, 0);
    receive.size = GENERATE(Bytes(0), Bytes(999));
    const bool isOpen = receive.size == Bytes(0);
    const bool isFirst = GENERATE(true, false);
    bench.CallAt(SimTime::FromNs(isFirst ? 0 : 5), receive);
    bench.CallAt(SimTime::FromNs(3), MakeSend(0, 1));
    if (isOpen)
    {
        bench.Run();
        CHECK(bench.CompletionOf(1, RECEIVE).count == 1);
        return;
    }
    CHECK_THROWS_MATCHES(
        bench.Run(),
        JobError,
        Catch::Matchers::Message("message #0 with tag 7: rank 1 (node 12 \"recv\") receives 999 B, "
                                 "rank 0 (node 11 \"send\") sends 1000 B"));
}

TEST_CASE("PointToPoint: a peer that does not exist is named", "[unit][system]")
{
    CommunicationBench bench(FourRanks());
    bench.CallAt(SimTime(), MakeSend(0, 4));
    CHECK_THROWS_MATCHES(
        bench.Run(),
        JobError,
        Catch::Matchers::Message("rank 0 (node 11 \"send\") sends to rank 4, which does not exist; "
                                 "the job has 4 ranks"));
}

TEST_CASE("PointToPoint: what waits for a call that never comes is pending", "[unit][system]")
{
    CommunicationBench bench(FourRanks());
    bench.CallAt(SimTime(), MakeReceive(3, 2, 31));
    bench.CallAt(SimTime(), MakeReceive(1, 0, 30));
    bench.CallAt(SimTime(), MakeSend(0, 3));
    bench.Run();
    const auto pending = bench.Messages().FindPending();
    REQUIRE(pending.size() == 2); // the send was delivered: it needs no receive
    CHECK(pending[0].call.token == 30);
    CHECK(pending[1].call.token == 31);
    CHECK_FALSE(pending[0].isMatched);
}

TEST_CASE("PointToPoint: each kind has a stream of its own, and kinds are no part of the match",
          "[unit][system]")
{
    CommunicationBench bench(FourRanks());
    uint64_t token = 10;
    for (const MessageKind kind : MESSAGE_KINDS)
    {
        PointToPointCall send = MakeSend(0, 1, token);
        send.kind = kind;
        bench.CallAt(SimTime(), send);
        bench.CallAt(SimTime(), MakeReceive(1, 0, token + 10));
        ++token;
    }
    bench.Run();
    REQUIRE(bench.Network().Sent().size() == MESSAGE_KINDS.size());
    for (size_t at = 0; at < MESSAGE_KINDS.size(); ++at)
    {
        const StreamId stream = bench.Network().Sent()[at].first.stream;
        CHECK(MessageKindOf(stream) == MESSAGE_KINDS[at]);
        CHECK((stream == POINT_TO_POINT_STREAM) == (MESSAGE_KINDS[at] == MessageKind::Pipeline));
        CHECK(bench.CompletionOf(1, 20 + at).count == 1);
    }
    CHECK(bench.Messages().FindPending().empty());
}

TEST_CASE("MessageKind: streams of kinds are none of collectives, trees or memories",
          "[unit][system]")
{
    for (const MessageKind kind : MESSAGE_KINDS)
    {
        CHECK(IsPointToPointStream(StreamOf(kind)));
        CHECK(FindMessageKind(ToText(kind)) == kind);
        CHECK_FALSE(IsMemoryStream(StreamOf(kind)));
        CHECK_FALSE(TreeOf(StreamOf(kind)));
        CHECK(StreamOf(kind) < FIRST_TREE_STREAM);
    }
    CHECK_FALSE(FindMessageKind("KV"));
    CHECK_FALSE(MessageKindOf(MakeCollectiveStream(CommunicatorId{0}, 0)));
    CHECK_FALSE(MessageKindOf(MakeCollectiveStream(CommunicatorId{(1U << 24) - 3}, 7)));
    CHECK_FALSE(MessageKindOf(MEMORY_LOAD_STREAM));
    CHECK(WayIdentity(StreamOf(MessageKind::Kv)) != WayIdentity(POINT_TO_POINT_STREAM));
}
