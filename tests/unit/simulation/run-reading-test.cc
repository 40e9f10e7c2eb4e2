// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/reading/run-reading.h"

#include <catch2/catch.hpp>

#include <string>

using namespace nadi;

namespace
{

/// A slowest rank of 100 ns, the rest of it idle, on links that are used to that share.
RunFacts
MakeFacts(int64_t computeNs, int64_t exposedNs, double use = 0.3)
{
    RunFacts facts;
    facts.metrics.finish = SimTime::FromNs(100);
    facts.metrics.compute = SimTime::FromNs(computeNs);
    facts.mostCompute = facts.metrics.compute;
    facts.metrics.communication = SimTime::FromNs(exposedNs);
    facts.metrics.exposedCommunication = SimTime::FromNs(exposedNs);
    facts.metrics.idle = SimTime::FromNs(100 - computeNs - exposedNs);
    facts.links = {.atLeast = use, .atMost = use, .busiest = "npu0 -> npu1"};
    facts.hasCollectives = true;
    return facts;
}

bool
Says(const RunFacts& facts, const std::string& part)
{
    return ReadFacts(facts).find(part) != std::string::npos;
}

constexpr const char* LATENCY = "wait for each other and for";
constexpr const char* BANDWIDTH = "more bandwidth there";

} // namespace

TEST_CASE("ReadFacts: says what bounds the slowest rank", "[unit][simulation]")
{
    CHECK(Says(MakeFacts(80, 15), "a perfect network would save at most 20.0 %"));
    CHECK(Says(MakeFacts(20, 75, 0.9), "npu0 -> npu1 is 90 % used"));
    CHECK(Says(MakeFacts(20, 75, 0.9), BANDWIDTH));
    CHECK(Says(MakeFacts(20, 75), "no link is more than 30 % used"));
    CHECK(Says(MakeFacts(20, 75), LATENCY));
    CHECK(Says(MakeFacts(10, 20), "mostly waits"));
    CHECK(Says(MakeFacts(55, 40), "largest part; what communication adds"));
    CHECK(Says(MakeFacts(50, 10), "largest part. For 40 % of the time the rank waits"));
    CHECK(ReadFacts({}).empty());
}

TEST_CASE("ReadFacts: promises no limit to what a network may save that carries remote memory",
          "[unit][simulation]")
{
    RunFacts facts = MakeFacts(80, 15);
    facts.hasMemoryBehindNetwork = true;
    CHECK(Says(facts, "Computation and remote memory bound this job."));
    CHECK_FALSE(Says(facts, "would save"));
}

TEST_CASE("ReadFacts: what memory nodes take of the compute is told from a tenth of it on",
          "[unit][simulation]")
{
    RunFacts facts = MakeFacts(80, 15);
    facts.metrics.memoryAlone = SimTime::FromNs(8); // a tenth
    CHECK(Says(facts, "Computation bounds this job: a perfect network"));
    CHECK_FALSE(Says(facts, "emory"));
    facts.metrics.memoryAlone = SimTime::FromNs(60);
    CHECK(ReadFacts(facts) ==
          "Computation with accesses to memory bounds this job: a perfect network would save at "
          "most 20.0 %. Memory nodes count as compute; for 75 % of it they go on alone.");
    RunFacts mixed = MakeFacts(55, 40);
    mixed.metrics.memoryAlone = SimTime::FromNs(30);
    CHECK(Says(mixed, "Computation with accesses to memory takes the largest part; what"));
    RunFacts waiting = MakeFacts(50, 10);
    waiting.metrics.memoryAlone = SimTime::FromNs(30);
    CHECK(Says(waiting, "Computation with accesses to memory takes the largest part. For 40 %"));
}

TEST_CASE("ReadFacts: gives no advice where the links may have been busy or not",
          "[unit][simulation]")
{
    // Others may have used the link while the rank did not communicate, as in a pipeline.
    RunFacts facts = MakeFacts(20, 75);
    facts.links.atMost = 0.9;
    CHECK(ReadFacts(facts) == "Communication bounds this job.");
    // This one was used for more than half of the time, but another one perhaps all the time.
    facts.links.atLeast = 0.6;
    CHECK(ReadFacts(facts) == "Communication bounds this job.");
    // None was full, but how much this one was used is not certain.
    facts.links = {.atLeast = 0.2, .atMost = 0.69, .busiest = "npu0 -> npu1"};
    CHECK(ReadFacts(facts) ==
          "Communication bounds this job. While it lasts, no link is more than 69 % used.");
    // Between half and most of the time, neither bandwidth nor latency is the clear cause.
    CHECK(ReadFacts(MakeFacts(20, 75, 0.6)) ==
          "Communication bounds this job. While it lasts, the link npu0 -> npu1 is 60 % used.");
}

TEST_CASE("ReadFacts: a link that carries more than it can is no reason to buy a faster one",
          "[unit][simulation]")
{
    CHECK(ReadFacts(MakeFacts(20, 75, 12.17)) ==
          "Communication bounds this job. While it lasts, the link npu0 -> npu1 carries 12.2 times "
          "as much as it can: the analytical backend gives each message the whole link. The same "
          "run with --set network.backend=flow shares the links.");
    CHECK(Says(MakeFacts(20, 75, 1.0), BANDWIDTH));
}

TEST_CASE("ReadFacts: what is in no counter may be the cause, so that it does not blame latency",
          "[unit][simulation]")
{
    RunFacts facts = MakeFacts(20, 75);
    facts.hasUnseenLimits = true;
    CHECK(ReadFacts(facts) == "Communication bounds this job.");
    facts = MakeFacts(20, 75, 0.9);
    facts.hasUnseenLimits = true;
    CHECK(Says(facts, BANDWIDTH)); // a link that is full is full whatever else holds back
}

TEST_CASE("ReadFacts: congestion, losses and faults are named before any advice",
          "[unit][simulation]")
{
    for (const double use : {0.3, 0.9})
    {
        RunFacts facts = MakeFacts(20, 75, use);
        facts.disturbances = {"98 retransmissions", "3 pauses"};
        CHECK(Says(facts, "Communication bounds this job."));
        CHECK(Says(facts, "congested or lost frames: 98 retransmissions, 3 pauses."));
        CHECK(Says(facts, "network.backend=flow"));
        CHECK(!Says(facts, LATENCY));
        CHECK(!Says(facts, BANDWIDTH));
        facts.hasFaults = true;
        CHECK(Says(facts, "faults (network.faults); counted: 98 retransmissions, 3 pauses."));
        CHECK(Says(facts, "network.faults=[]"));
    }
    RunFacts slow = MakeFacts(20, 75); // a slower link loses nothing
    slow.hasFaults = true;
    CHECK(Says(slow, "faults (network.faults). The same run"));
}

TEST_CASE("ReadFacts: who waits for a late rank is told so, not to buy links", "[unit][simulation]")
{
    RunFacts facts = MakeFacts(20, 75, 0.9);
    facts.late = LateRank{RankId{3}, SimTime::FromNs(40), 2, {}};
    facts.metrics.waiting = SimTime::FromNs(38);
    CHECK(Says(facts, "(38 ns of 75 ns)"));
    CHECK(Says(facts, "rank 3, whose compute takes 2 times as long (system.compute.per-rank)"));
    CHECK(!Says(facts, BANDWIDTH));
    facts.metrics.waiting = SimTime::FromNs(37); // the lesser half
    CHECK(Says(facts, BANDWIDTH));
}

TEST_CASE("ReadFacts: a faster network does not help where computing makes ranks late",
          "[unit][simulation]")
{
    RunFacts facts = MakeFacts(20, 75, 0.9);
    facts.metrics.waiting = SimTime::FromNs(70);
    facts.late = LateRank{RankId{3}, SimTime::FromNs(70), 1, {}};
    RankMetrics& late = facts.late->metrics;
    const std::string noHelp = "a faster network does not help with that";
    late.compute = SimTime::FromNs(93);
    late.exposedCommunication = SimTime::FromNs(7); // a tenth of the wait
    CHECK(Says(facts, noHelp));
    // Its own messages delay it, or those that it idles for.
    late.compute = SimTime::FromNs(92);
    late.exposedCommunication = SimTime::FromNs(8);
    CHECK_FALSE(Says(facts, noHelp));
    late.exposedCommunication = SimTime();
    late.idle = SimTime::FromNs(8);
    CHECK_FALSE(Says(facts, noHelp));
    // What it waited for others is not its own communication.
    late.idle = SimTime();
    late.exposedCommunication = late.waiting = SimTime::FromNs(8);
    CHECK(Says(facts, noHelp));
    CHECK_FALSE(Says(facts, "may help"));
}

TEST_CASE("ReadFacts: a faster network may help where messages make ranks late",
          "[unit][simulation]")
{
    RunFacts facts = MakeFacts(5, 95, 0.9);
    facts.metrics.waiting = SimTime::FromNs(90);
    facts.late = LateRank{RankId{1}, SimTime::FromNs(45), 1, {}};
    facts.late->metrics.exposedCommunication = SimTime::FromNs(94);
    facts.late->metrics.waiting = SimTime::FromNs(4);
    CHECK(Says(facts, "That rank itself communicates for 90 ns, so a faster network may help."));
    facts.late->metrics.compute = SimTime::FromNs(91);
    CHECK_FALSE(Says(facts, "may help"));
}

TEST_CASE("ReadFacts: a perfect network saves all that is not the longest computing of a rank",
          "[unit][simulation]")
{
    RunFacts facts = MakeFacts(80, 15);
    facts.mostCompute = SimTime::FromNs(90);
    CHECK(Says(facts, "a perfect network would save at most 10.0 %"));
}

TEST_CASE("ReadFacts: a slow rank that others wait for is named with what a network could save",
          "[unit][simulation]")
{
    RunFacts facts = MakeFacts(80, 15);
    facts.slowest = RankId{3};
    facts.late = LateRank{RankId{3}, SimTime::FromNs(30), 2, {}};
    facts.metrics.waiting = SimTime::FromNs(5);
    CHECK(Says(facts,
               "the other ranks wait 30 ns for this one, in the mean (system.compute.per-rank "
               "gives it 2)"));
    facts.late->rank = RankId{2};
    CHECK(!Says(facts, "this one"));
}

TEST_CASE("ReadFacts: one dimension over nodes is the first thing to change", "[unit][simulation]")
{
    for (const double use : {0.3, 0.9})
    {
        RunFacts facts = MakeFacts(20, 75, use);
        facts.isFlatOverNodes = true;
        CHECK(Says(facts, "system.dimensions: [NPUs of a node, nodes]"));
        CHECK(!Says(facts, LATENCY));
        CHECK(!Says(facts, BANDWIDTH));
        facts.isUndivided = true;
        CHECK(Says(facts, "the slowest ways between neighbours set the pace; a note below says"));
        CHECK(!Says(facts, "system.dimensions"));
        facts.links.isOfTheFaster = true; // if such a link is full, the slow ones set no pace
        CHECK(Says(facts, BANDWIDTH) == (use > 0.7));
        facts.links.isOfTheFaster = false;
        facts.hasCollectives = false; // it would change nothing
        CHECK(!Says(facts, "system.dimensions"));
        CHECK(!Says(facts, "note below"));
    }
}

TEST_CASE("ReadFacts: chunks and algorithms are advised to jobs with collectives only",
          "[unit][simulation]")
{
    RunFacts facts = MakeFacts(20, 75);
    CHECK(Says(facts, "Algorithms with fewer steps or shorter paths would help"));
    CHECK(!Says(facts, "chunks")); // one, or as many as Nadi finds good
    facts.hasChosenChunks = true;
    CHECK(Says(facts, "Fewer chunks, algorithms with fewer steps or shorter paths would help"));
    facts.hasCollectives = false;
    CHECK(Says(facts, "Fewer messages or shorter paths"));
}

TEST_CASE("ReadFacts: links that lack the bytes of NVLS say nothing of latency",
          "[unit][simulation]")
{
    for (const double use : {0.0, 0.3})
    {
        RunFacts facts = MakeFacts(20, 75, use);
        facts.hasUnseenSwitches = true;
        CHECK(Says(facts, "NVLS puts no bytes on the links inside nodes"));
        CHECK(!Says(facts, LATENCY));
        CHECK(!Says(facts, "no link is more than"));
    }
    RunFacts full = MakeFacts(20, 75, 0.9); // such as a NIC
    full.hasUnseenSwitches = true;
    CHECK(Says(full, BANDWIDTH));
    RunFacts half = MakeFacts(20, 75, 0.6);
    half.hasUnseenSwitches = true;
    CHECK(Says(half, "is 60 % used."));
    CHECK(!Says(half, "NVLS"));
}

TEST_CASE("ReadFacts: more bandwidth is no advice where equally good links idle",
          "[unit][simulation]")
{
    RunFacts facts = MakeFacts(20, 75, 0.9);
    facts.links.besideIt = 0.3;
    CHECK(Says(facts, "the equally good links beside it 30 % in the mean"));
    CHECK(Says(facts, "network.packet.load-balancing=spray"));
    CHECK(Says(facts, "as ECMP keeps each flow on one link"));
    CHECK(Says(facts, "Another seed helps only if several flows share the link."));
    CHECK(!Says(facts, BANDWIDTH));
    facts.links.besideIt = 0.6; // all of them are busy
    CHECK(Says(facts, BANDWIDTH));
}
