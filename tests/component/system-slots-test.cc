// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "tests/support/communication-bench.h"

#include <catch2/catch.hpp>

using namespace nadi;
using namespace nadi::test;

namespace
{

CommunicationBench::Setup
MakeSlotSetup(uint32_t limit)
{
    CommunicationBench::Setup setup;
    setup.stack = {MakeDimension("ring", 4)};
    setup.options = MakeOptions("ring", setup.stack);
    setup.options.concurrentCollectives = limit;
    setup.communicators = {{.id = {}, .ranks = {RankId{0}, RankId{1}}},
                           {.id = {}, .ranks = {RankId{1}, RankId{2}}},
                           {.id = {}, .ranks = {RankId{2}, RankId{3}}}};
    return setup;
}

CollectiveCall
MakeAllReduceCall(uint32_t rank, uint32_t communicator, uint32_t call)
{
    return {.rank = RankId{rank},
            .communicator = CommunicatorId{communicator},
            .call = call,
            .type = CollectiveType::AllReduce,
            .elements = 1000,
            .root = {},
            .token = uint64_t{communicator} << 32 | call,
            .node = NodeId{40 + rank},
            .name = "ar"};
}

void
CallOnMembers(CommunicationBench& bench, uint32_t communicator, uint32_t call, SimTime at)
{
    for (const RankId rank : bench.Communicators()[communicator].ranks)
    {
        bench.CallAt(at, MakeAllReduceCall(rank.value, communicator, call));
    }
}

/// When the first message of a collective was sent.
SimTime
StartOf(const CommunicationBench& bench, uint32_t communicator, uint32_t call)
{
    const StreamId stream = MakeCollectiveStream(CommunicatorId{communicator}, call);
    for (const auto& [message, sent] : bench.Network().Sent())
    {
        if (message.stream == stream)
        {
            return sent;
        }
    }
    return SimTime::Max();
}

SimTime
EndOf(const CommunicationBench& bench, uint32_t rank, uint32_t communicator, uint32_t call)
{
    return bench.CompletionOf(rank, uint64_t{communicator} << 32 | call).at;
}

} // namespace

TEST_CASE("CollectiveEngine: a collective starts at the arrival of its last member",
          "[component][system]")
{
    CommunicationBench bench(MakeSlotSetup(0));
    bench.CallAt(SimTime::FromNs(10), MakeAllReduceCall(0, 1, 0));
    bench.CallAt(SimTime::FromNs(70), MakeAllReduceCall(1, 1, 0));
    bench.Run();
    for (const auto& [message, sent] : bench.Network().Sent())
    {
        CHECK(sent >= SimTime::FromNs(70));
    }
    CHECK(StartOf(bench, 1, 0) == SimTime::FromNs(70));
    CHECK(bench.Records().front().start == SimTime::FromNs(10));
    CHECK(bench.Records().front().called == SimTime::FromNs(70));
    CHECK(bench.Records().front().begin == SimTime::FromNs(70));
    CHECK(bench.Records().front().lastRank == RankId{1});
}

TEST_CASE(
    "CollectiveEngine: with one slot, collectives of a rank follow each other by last arrival",
    "[component][system]")
{
    CommunicationBench bench(MakeSlotSetup(1));
    CallOnMembers(bench, 1, 0, SimTime::FromNs(1)); // ranks 0, 1
    CallOnMembers(bench, 2, 0, SimTime::FromNs(3)); // ranks 1, 2: waits for rank 1
    CallOnMembers(bench, 3, 0, SimTime::FromNs(2)); // ranks 2, 3: came before, starts
    bench.Run();
    CHECK(StartOf(bench, 1, 0) == SimTime::FromNs(1));
    CHECK(StartOf(bench, 3, 0) == SimTime::FromNs(2));
    CHECK(StartOf(bench, 2, 0) == std::max(EndOf(bench, 1, 1, 0), EndOf(bench, 2, 3, 0)));
    const CollectiveRecord& last = bench.Records().back();
    CHECK(last.communicator == CommunicatorId{2});
    CHECK(last.called == SimTime::FromNs(3)); // its turn came later
    CHECK(last.begin == StartOf(bench, 2, 0));
}

TEST_CASE("CollectiveEngine: who waits for a member holds no slot", "[component][system]")
{
    CommunicationBench bench(MakeSlotSetup(1));
    bench.CallAt(SimTime::FromNs(1), MakeAllReduceCall(1, 1, 0)); // its peer comes late
    CallOnMembers(bench, 2, 0, SimTime::FromNs(2));
    bench.CallAt(SimTime::FromUs(90), MakeAllReduceCall(0, 1, 0));
    bench.Run();
    CHECK(StartOf(bench, 2, 0) == SimTime::FromNs(2));
    CHECK(StartOf(bench, 1, 0) == SimTime::FromUs(90));
}

TEST_CASE("CollectiveEngine: equal arrivals go by communicator, then call", "[component][system]")
{
    CommunicationBench bench(MakeSlotSetup(1));
    CallOnMembers(bench, 2, 1, SimTime());
    CallOnMembers(bench, 2, 0, SimTime());
    CallOnMembers(bench, 1, 0, SimTime());
    bench.Run();
    CHECK(StartOf(bench, 1, 0) == SimTime());
    CHECK(StartOf(bench, 2, 0) == EndOf(bench, 1, 1, 0));
    CHECK(StartOf(bench, 2, 1) == std::max(EndOf(bench, 1, 2, 0), EndOf(bench, 2, 2, 0)));
}

TEST_CASE("CollectiveEngine: as many run at once as there are slots", "[component][system]")
{
    CommunicationBench bench(MakeSlotSetup(2));
    for (uint32_t call = 0; call < 3; ++call)
    {
        CallOnMembers(bench, 1, call, SimTime());
    }
    bench.Run();
    CHECK(StartOf(bench, 1, 1) == SimTime());
    CHECK(StartOf(bench, 1, 2) == std::max(EndOf(bench, 0, 1, 0), EndOf(bench, 1, 1, 0)));
}

TEST_CASE("CollectiveEngine: a rank that never calls is named as missing", "[component][system]")
{
    CommunicationBench bench(MakeSlotSetup(0));
    bench.CallAt(SimTime(), MakeAllReduceCall(3, 0, 0));
    bench.CallAt(SimTime(), MakeAllReduceCall(0, 0, 0));
    bench.CallAt(SimTime(), MakeAllReduceCall(1, 0, 0));
    bench.Run();
    const auto pending = bench.Collectives().FindPending();
    REQUIRE(pending.size() == 1);
    CHECK_FALSE(pending[0].hasStarted);
    CHECK(pending[0].missing == std::vector{RankId{2}});
    REQUIRE(pending[0].arrived.size() == 3);
    CHECK(pending[0].arrived[2].rank == RankId{3});
    CHECK(pending[0].arrived[2].node == NodeId{43});
    CHECK(bench.CompletionCount() == 0);
}

TEST_CASE("CollectiveEngine: one that waits for a slot has no missing member",
          "[component][system]")
{
    CommunicationBench bench(MakeSlotSetup(1));
    CallOnMembers(bench, 1, 0, SimTime());
    CallOnMembers(bench, 1, 1, SimTime());
    bool wasLookedAt = false;
    bench.At(SimTime::FromNs(1),
             [&]
             {
                 const auto pending = bench.Collectives().FindPending();
                 REQUIRE(pending.size() == 2);
                 CHECK(pending[0].hasStarted);
                 CHECK_FALSE(pending[1].hasStarted);
                 CHECK(pending[1].missing.empty());
                 REQUIRE(pending[0].arrived.size() == 2);
                 CHECK(pending[0].arrived[0].waitsFor ==
                       "chunk 0, phase 0 (all-reduce), from rank 1");
                 CHECK(pending[0].arrived[0].waitsForRanks == std::vector{RankId{1}});
                 wasLookedAt = true;
             });
    bench.Run();
    CHECK(wasLookedAt);
    CHECK(bench.Collectives().FindPending().empty());
}

TEST_CASE("CollectiveEngine: a mismatch ends the run with both callers", "[component][system]")
{
    CommunicationBench bench(MakeSlotSetup(0));
    bench.CallAt(SimTime(), MakeAllReduceCall(0, 1, 0));
    CollectiveCall other = MakeAllReduceCall(1, 1, 0);
    other.elements = 2000;
    bench.CallAt(SimTime::FromNs(1), other);
    CHECK_THROWS_MATCHES(
        bench.Run(),
        JobError,
        Catch::Matchers::Message("all-reduce #0 of communicator 1 {0, 1}: rank 1 (node 41 \"ar\") "
                                 "calls it with 2000 B, rank 0 (node 40 \"ar\") with 1000 B"));
}
