// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "system/execution/collective-slots.h"
#include "system/execution/rendezvous.h"
#include "system/rank-text.h"
#include "tests/support/make-communicator.h"

#include <catch2/catch.hpp>

using namespace nadi;

namespace
{

CollectiveCall
MakeNamedCall(uint32_t rank, CollectiveType type, uint64_t elements)
{
    return {.rank = RankId{rank},
            .communicator = CommunicatorId{0},
            .call = 3,
            .type = type,
            .elements = elements,
            .root = {},
            .token = 0,
            .node = NodeId{15 + rank},
            .name = rank == 0 ? "ar" : "ar2"};
}

const std::vector<Communicator> EIGHT = {MakeCommunicator({0, 1, 2, 3, 4, 5, 6, 7})};

/// Those that may run now.
std::vector<CollectiveId>
GrantedBy(CollectiveSlots& slots)
{
    std::vector<CollectiveId> ids;
    for (const CollectiveSlots::Granted& granted : slots.Grant())
    {
        ids.push_back(granted.id);
    }
    return ids;
}

} // namespace

TEST_CASE("Rendezvous: a meeting is complete once every member has called", "[unit][system]")
{
    const std::vector<Communicator> pair = {MakeCommunicator({5, 2})};
    Rendezvous rendezvous(pair, 1);
    const CollectiveCall late = MakeNamedCall(2, CollectiveType::Broadcast, 8);
    CHECK_FALSE(
        rendezvous.Arrive(MakeNamedCall(5, CollectiveType::Broadcast, 8), SimTime::FromNs(1))
            .IsComplete());
    const Meeting& meeting = rendezvous.Arrive(late, SimTime::FromNs(4));
    REQUIRE(meeting.IsComplete());
    CHECK(meeting.firstArrival == SimTime::FromNs(1));
    CHECK(meeting.lastArrival == SimTime::FromNs(4));
    CHECK(meeting.LowestCall().rank == RankId{2});
    CHECK(meeting.Root() == RankId{5}); // the first of the list, where the call names none
    CHECK(rendezvous.Take({CommunicatorId{0}, 3}).calls.size() == 2);
    CHECK(rendezvous.Open().empty());
}

TEST_CASE(
    "Meeting: a recorded transfer is each member's own time without its wait, where all say it",
    "[unit][system]")
{
    const std::vector<Communicator> pair = {MakeCommunicator({0, 1})};
    const auto meet = [&](std::optional<SimTime> waited)
    {
        Rendezvous rendezvous(pair, 1);
        CollectiveCall root = MakeNamedCall(0, CollectiveType::Broadcast, 8);
        root.recorded = SimTime::FromNs(30); // called first, and was done first
        root.waited = SimTime::FromNs(20);
        CollectiveCall leaf = MakeNamedCall(1, CollectiveType::Broadcast, 8);
        leaf.recorded = SimTime::FromNs(45);
        leaf.waited = waited;
        rendezvous.Arrive(root, SimTime());
        rendezvous.Arrive(leaf, SimTime());
        return rendezvous.Take({CommunicatorId{0}, 3});
    };
    const Meeting known = meet(SimTime());
    CHECK(known.RecordedTransferTo(RankId{0}) == SimTime::FromNs(10));
    CHECK(known.RecordedTransferTo(RankId{1}) == SimTime::FromNs(45));
    CHECK(known.recorded.Transfer() == SimTime::FromNs(45));
    CHECK(meet(SimTime::FromNs(50)).RecordedTransferTo(RankId{1}) == SimTime()); // no time is left
    const Meeting unknown = meet(std::nullopt);
    CHECK(unknown.RecordedTransferTo(RankId{0}) == SimTime::FromNs(30));
    CHECK(unknown.RecordedTransferTo(RankId{1}) == SimTime::FromNs(30));
    CHECK(unknown.recorded.Transfer() == SimTime::FromNs(30));
}

TEST_CASE("Rendezvous: of those who come last together, the lowest is the last rank",
          "[unit][system]")
{
    const std::vector<Communicator> four = {MakeCommunicator({0, 1, 2, 3})};
    Rendezvous rendezvous(four, 1);
    const auto arrive = [&](uint32_t rank, int64_t ns) {
        return rendezvous.Arrive(MakeNamedCall(rank, CollectiveType::Barrier, 0),
                                 SimTime::FromNs(ns));
    };
    CHECK(arrive(2, 0).lastRank == RankId{2});
    CHECK(arrive(0, 5).lastRank == RankId{0});
    CHECK(arrive(3, 9).lastRank == RankId{3});
    CHECK(arrive(1, 9).lastRank == RankId{1});
}

TEST_CASE("Rendezvous: calls match by their number, whatever the order of arrival",
          "[unit][system]")
{
    const std::vector<Communicator> pair = {MakeCommunicator({0, 1})};
    Rendezvous rendezvous(pair, 1);
    CollectiveCall second = MakeNamedCall(0, CollectiveType::AllGather, 8);
    second.call = 4;
    rendezvous.Arrive(second, SimTime());
    rendezvous.Arrive(MakeNamedCall(0, CollectiveType::AllReduce, 16), SimTime());
    CHECK(
        rendezvous.Arrive(MakeNamedCall(1, CollectiveType::AllReduce, 16), SimTime()).IsComplete());
    CHECK_FALSE(rendezvous.Open().at({CommunicatorId{0}, 4}).IsComplete());
}

TEST_CASE("Rendezvous: a different size is refused with both callers", "[unit][system]")
{
    Rendezvous rendezvous(EIGHT, 4);
    rendezvous.Arrive(MakeNamedCall(0, CollectiveType::AllReduce, 512), SimTime());
    CHECK_THROWS_MATCHES(
        rendezvous.Arrive(MakeNamedCall(2, CollectiveType::AllReduce, 256), SimTime()),
        JobError,
        Catch::Matchers::Message(
            "all-reduce #3 of communicator 0 {0..7}: rank 2 (node 17 \"ar2\") calls it with "
            "1024 B, rank 0 (node 15 \"ar\") with 2048 B"));
}

TEST_CASE("Rendezvous: a different type is refused with both callers", "[unit][system]")
{
    Rendezvous rendezvous(EIGHT, 1);
    rendezvous.Arrive(MakeNamedCall(0, CollectiveType::AllReduce, 512), SimTime());
    CHECK_THROWS_MATCHES(
        rendezvous.Arrive(MakeNamedCall(2, CollectiveType::AllGather, 512), SimTime()),
        JobError,
        Catch::Matchers::Message(
            "all-reduce #3 of communicator 0 {0..7}: rank 2 (node 17 \"ar2\") calls it as "
            "all-gather, rank 0 (node 15 \"ar\") as all-reduce"));
}

TEST_CASE("Rendezvous: a different root is refused, and none means the first member",
          "[unit][system]")
{
    Rendezvous rendezvous(EIGHT, 1);
    rendezvous.Arrive(MakeNamedCall(0, CollectiveType::Broadcast, 512), SimTime());
    CollectiveCall same = MakeNamedCall(1, CollectiveType::Broadcast, 512);
    same.root = RankId{0};
    CHECK_NOTHROW(rendezvous.Arrive(same, SimTime()));
    CollectiveCall other = MakeNamedCall(2, CollectiveType::Broadcast, 512);
    other.root = RankId{4};
    CHECK_THROWS_MATCHES(
        rendezvous.Arrive(other, SimTime()),
        JobError,
        Catch::Matchers::Message(
            "broadcast #3 of communicator 0 {0..7}: rank 2 (node 17 \"ar2\") calls it with "
            "root 4, rank 0 (node 15 \"ar\") with root 0"));
}

TEST_CASE("Rendezvous: who is no member is refused, as caller and as root", "[unit][system]")
{
    const std::vector<Communicator> pair = {MakeCommunicator({0, 2})};
    Rendezvous rendezvous(pair, 1);
    CHECK_THROWS_MATCHES(
        rendezvous.Arrive(MakeNamedCall(1, CollectiveType::AllReduce, 8), SimTime()),
        JobError,
        Catch::Matchers::Message("all-reduce #3 of communicator 0 {0, 2}: rank 1 (node 16 "
                                 "\"ar2\") calls it and is not a member"));
    CollectiveCall call = MakeNamedCall(0, CollectiveType::Reduce, 8);
    call.root = RankId{1};
    CHECK_THROWS_MATCHES(
        rendezvous.Arrive(call, SimTime()),
        JobError,
        Catch::Matchers::Message("reduce #3 of communicator 0 {0, 2}: rank 0 (node 15 \"ar\") "
                                 "calls it with root 1, which is not a member"));
}

TEST_CASE("Rendezvous: all-to-all, gather and scatter may differ in size", "[unit][system]")
{
    const auto type =
        GENERATE(CollectiveType::AllToAll, CollectiveType::Gather, CollectiveType::Scatter);
    const std::vector<Communicator> pair = {MakeCommunicator({0, 1})};
    Rendezvous rendezvous(pair, 1);
    rendezvous.Arrive(MakeNamedCall(0, type, 8), SimTime());
    const Meeting& meeting = rendezvous.Arrive(MakeNamedCall(1, type, 12), SimTime());
    CHECK_FALSE(meeting.HasEvenSizes());
    CHECK(meeting.LargestElements() == 12);
}

TEST_CASE("ToRankListText: runs of three or more are abridged", "[unit][system]")
{
    const auto text = [](const std::vector<uint32_t>& ranks)
    { return ToRankListText(MakeCommunicator(ranks).ranks); };
    CHECK(text({3}) == "{3}");
    CHECK(text({1, 0}) == "{0, 1}");
    CHECK(text({6, 0, 2, 4, 5}) == "{0, 2, 4..6}");
    CHECK(text({7, 8, 0, 1, 2}) == "{0..2, 7, 8}");
}

TEST_CASE("CollectiveSlots: without a limit all run, in order of last arrival, communicator, call",
          "[unit][system]")
{
    const Communicator pair = MakeCommunicator({0, 1});
    CollectiveSlots slots(0, 2);
    const CollectiveId first{CommunicatorId{2}, 0};
    const CollectiveId second{CommunicatorId{0}, 1};
    const CollectiveId third{CommunicatorId{1}, 0};
    slots.Add(third, SimTime::FromNs(5), pair);
    slots.Add(second, SimTime::FromNs(5), pair);
    slots.Add(first, SimTime::FromNs(4), pair);
    CHECK(GrantedBy(slots) == std::vector{first, second, third});
    CHECK(slots.Grant().empty());
    CHECK_FALSE(slots.Release(pair, RankId{0}));
}

TEST_CASE("CollectiveSlots: one that waits keeps its place before later ones on its members only",
          "[unit][system]")
{
    const Communicator left = MakeCommunicator({0, 1});
    const Communicator middle = MakeCommunicator({1, 2}, 1);
    const Communicator right = MakeCommunicator({2, 3}, 2);
    const Communicator apart = MakeCommunicator({3, 4}, 3);
    const auto idOf = [](const Communicator& communicator) {
        return CollectiveId{communicator.id, 0};
    };
    CollectiveSlots slots(1, 5);
    slots.Add(idOf(left), SimTime::FromNs(1), left);
    CHECK(GrantedBy(slots) == std::vector{idOf(left)});
    slots.Add(idOf(middle), SimTime::FromNs(2), middle); // rank 1 is taken
    slots.Add(idOf(right), SimTime::FromNs(3), right);   // rank 2 is kept for `middle`
    slots.Add(idOf(apart), SimTime::FromNs(4), apart);   // rank 3 is kept for `right`
    CHECK(slots.Grant().empty());
    CHECK(slots.Release(left, RankId{0}));
    CHECK(slots.Grant().empty());
    CHECK(slots.Release(left, RankId{1}));
    CHECK(GrantedBy(slots) == std::vector{idOf(middle)});
    CHECK(slots.Release(middle, RankId{2}));
    CHECK(GrantedBy(slots) == std::vector{idOf(right)});
}

TEST_CASE("CollectiveSlots: a rank runs as many as the limit says, a group of one needs no slot",
          "[unit][system]")
{
    const Communicator pair = MakeCommunicator({0, 1});
    const Communicator single = MakeCommunicator({0}, 1);
    CollectiveSlots slots(2, 2);
    for (uint32_t call = 0; call < 3; ++call)
    {
        slots.Add({pair.id, call}, SimTime(), pair);
    }
    slots.Add({single.id, 0}, SimTime(), single);
    const std::vector<CollectiveId> expected = {{pair.id, 0}, {pair.id, 1}, {single.id, 0}};
    CHECK(GrantedBy(slots) == expected);
    CHECK_FALSE(slots.Release(single, RankId{0}));
}
