// SPDX-License-Identifier: GPL-2.0-only
#include "system/message-programs/program-plan.h"
#include "system/message-programs/program-proof.h"
#include "tests/support/draft-program.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

using namespace nadi;
using namespace nadi::test;
using Action = ProgramStep::Action;
using Catch::Matchers::Contains;

namespace
{

std::string
ProofFaultOf(const DraftProgram& draft)
{
    const auto fault = FindProgramFault(draft.Build());
    return fault ? fault->what : "none";
}

/// Two ranks give each other their shard.
DraftProgram
PairAllGather()
{
    DraftProgram draft({.type = CollectiveType::AllGather, .ranks = 2, .chunks = 2});
    draft.Move(0, 1, 0, {}, false);
    draft.Move(1, 0, 1, {}, false);
    return draft;
}

/// Both ranks send what they have to the other one's scratch, and add it there once it has come.
DraftProgram
PairAllReduce(bool waitsForArrival)
{
    DraftProgram draft({.type = CollectiveType::AllReduce, .ranks = 2, .chunks = 1, .scratch = 1});
    for (uint32_t rank = 0; rank < 2; ++rank)
    {
        const uint32_t peer = 1 - rank;
        const uint32_t sent = draft.Add(draft.LaneFor(rank, true, peer, 0),
                                        {.place = 0, .count = 1, .action = Action::Send});
        const uint32_t received = draft.Add(draft.LaneFor(rank, false, peer, 0),
                                            {.place = 1, .count = 1, .action = Action::Receive});
        DraftProgram::Lane& work = draft.LaneFor(rank, true, ProgramLane::NOBODY, 0);
        if (waitsForArrival)
        {
            draft.Add(work, {}, received);
        }
        draft.Add(work, {.place = 0, .count = 1, .action = Action::Reduce, .operand = 1}, sent);
    }
    return draft;
}

/// Rank 0 makes the sum in its scratch and copies it over its own part, which it also sends: rank 1
/// needs that part.
DraftProgram
AllReduceByCopy(bool waitsForSend)
{
    DraftProgram draft({.type = CollectiveType::AllReduce, .ranks = 2, .chunks = 1, .scratch = 1});
    const uint32_t brought =
        draft.Add(draft.LaneFor(1, true, 0, 0), {.place = 0, .count = 1, .action = Action::Send});
    draft.Add(draft.LaneFor(1, false, 0, 0),
              {.place = 0, .count = 1, .action = Action::ReceiveReduce},
              brought);
    const uint32_t sent =
        draft.Add(draft.LaneFor(0, true, 1, 0), {.place = 0, .count = 1, .action = Action::Send});
    DraftProgram::Lane& sums = draft.LaneFor(0, false, 1, 0);
    draft.Add(sums, {.place = 1, .count = 1, .action = Action::Receive});
    draft.Add(sums, {.place = 1, .count = 1, .action = Action::Reduce, .operand = 0});
    draft.Add(sums,
              {.place = 0, .count = 1, .action = Action::Copy, .operand = 1},
              waitsForSend ? std::optional(sent) : std::nullopt);
    return draft;
}

} // namespace

TEST_CASE("Program proof: two ranks that give each other their shard have both", "[system]")
{
    CHECK(ProofFaultOf(PairAllGather()) == "none");
}

TEST_CASE("Program proof: messages that do not meet are named", "[system]")
{
    // Lanes: rank 0 sends and receives, rank 1 receives and sends.
    DraftProgram unsent = PairAllGather();
    unsent.ranks[1].pop_back();
    CHECK(ProofFaultOf(unsent) ==
          "rank 1 sends nothing on channel 0 to rank 0, which waits for it");

    DraftProgram unheard = PairAllGather();
    unheard.ranks[0].pop_back();
    CHECK(ProofFaultOf(unheard) ==
          "rank 0 receives nothing on channel 0 from rank 1, which sends there");

    DraftProgram shared = PairAllGather();
    shared.ranks[0].push_back(shared.ranks[0].front());
    CHECK(ProofFaultOf(shared) == "two lanes of rank 0 send to rank 1 on channel 0");

    DraftProgram unequal = PairAllGather();
    unequal.ranks[0].front().steps.front().what.count = 2;
    CHECK(ProofFaultOf(unequal) == "it receives 1 chunk, but rank 0 sends 2");
}

TEST_CASE("Program proof: lanes that wait for each other are named as a circle", "[system]")
{
    DraftProgram draft = PairAllGather();
    for (auto& lanes : draft.ranks)
    {
        // Each sends once it has received.
        const auto receiving =
            std::find_if(lanes.begin(),
                         lanes.end(),
                         [](const auto& lane) { return lane.steps.front().what.Receives(); });
        const auto sending = receiving == lanes.begin() ? lanes.begin() + 1 : lanes.begin();
        sending->steps.front().after = receiving->steps.front().name;
    }
    CHECK(ProofFaultOf(draft) ==
          "it waits for itself: rank 0 lane 0 step 0 waits for rank 0 lane 1 step 0 waits for rank "
          "1 lane 1 step 0 waits for rank 1 lane 0 step 0 waits for it");
}

TEST_CASE("Program proof: what is read must have come, whatever the times", "[system]")
{
    CHECK(ProofFaultOf(PairAllReduce(true)) == "none");
    CHECK(ProofFaultOf(PairAllReduce(false)) != "none");

    DraftProgram draft = PairAllGather();
    draft.ranks[0].front().steps.front().what.place = 1;
    const std::string fault = ProofFaultOf(draft);
    CHECK((fault == "it sends chunk 1 of the buffer, which holds nothing yet" ||
           fault.find("nothing says which of them comes first") != std::string::npos));
}

TEST_CASE("Program proof: a sum that a rank makes itself has no order with what it sends",
          "[system]")
{
    CHECK(ProofFaultOf(AllReduceByCopy(true)) == "none");
    CHECK_THAT(ProofFaultOf(AllReduceByCopy(false)),
               Contains("nothing says which of them comes first"));
}

TEST_CASE("Program proof: sums have each rank once, and chunks of one number", "[system]")
{
    DraftProgram doubled({.type = CollectiveType::Reduce, .ranks = 2, .chunks = 1});
    doubled.Move(1, 0, 0, {}, true);
    CHECK(ProofFaultOf(doubled) == "none");
    doubled.Move(1, 0, 0, {}, true);
    CHECK(ProofFaultOf(doubled) ==
          "it reduces into chunk 0 of the buffer what has a part of it already");

    DraftProgram mixed({.type = CollectiveType::Reduce, .ranks = 2, .chunks = 2});
    mixed.Move(1, 0, 0, {}, true);
    mixed.Move(1, 0, 1, {}, true);
    mixed.ranks[1].front().steps.front().what.place = 1;
    CHECK(ProofFaultOf(mixed) ==
          "it reduces chunk 1 into chunk 0 of the buffer, which holds chunk 0");

    DraftProgram lost({.type = CollectiveType::AllReduce, .ranks = 2, .chunks = 1});
    lost.Move(1, 0, 0, {}, true);
    CHECK(ProofFaultOf(lost) == "in the end chunk 0 of the buffer is not the sum of all ranks");
}

TEST_CASE("Program proof: beyond 64 ranks, sums of numbers stand for sets of ranks", "[system]")
{
    std::mt19937 random(1);
    for (const uint32_t ranks : {64U, 65U, 100U})
    {
        DraftProgram draft = RandomTreeProgram(CollectiveType::AllReduce, ranks, 3, random);
        INFO("p = " << ranks);
        CHECK(ProofFaultOf(draft) == "none");
        // A leaf's part is copied over what its parent has instead of being added.
        for (auto& lane : draft.ranks[ranks / 2])
        {
            for (auto& step : lane.steps)
            {
                if (step.what.action == Action::ReceiveReduce)
                {
                    step.what.action = Action::Receive;
                }
            }
        }
        for (auto& lane : draft.ranks[0])
        {
            for (auto& step : lane.steps)
            {
                if (step.what.action == Action::ReceiveReduce)
                {
                    step.what.action = Action::Receive;
                }
            }
        }
        CHECK(ProofFaultOf(draft) != "none");
    }
}

TEST_CASE("Program proof: an all-to-all brings each rank its part of each row", "[system]")
{
    constexpr uint32_t ranks = 3;
    DraftProgram draft(
        {.type = CollectiveType::AllToAll, .ranks = ranks, .chunks = ranks, .isInPlace = false});
    for (uint32_t from = 0; from < ranks; ++from)
    {
        for (uint32_t to = 0; to < ranks; ++to)
        {
            if (from == to)
            {
                draft.Add(draft.LaneFor(from, true, ProgramLane::NOBODY, 0),
                          {.place = to,
                           .count = 1,
                           .action = Action::Copy,
                           .operand = draft.buffers.InputBegin() + to});
                continue;
            }
            draft.Add(
                draft.LaneFor(from, true, to, 0),
                {.place = draft.buffers.InputBegin() + to, .count = 1, .action = Action::Send});
            draft.Add(draft.LaneFor(to, false, from, 0),
                      {.place = from, .count = 1, .action = Action::Receive});
        }
    }
    CHECK(ProofFaultOf(draft) == "none");
    DraftProgram crossed = draft;
    std::swap(crossed.ranks[0][1].steps.front().what.place,
              crossed.ranks[0].back().steps.front().what.place);
    CHECK(ProofFaultOf(crossed) != "none");
}

TEST_CASE("Program plan: chunks of a buffer that they do not divide are as long as its parts",
          "[system]")
{
    const MessageProgram program = PairAllGather().Build();
    const ProgramPlan plan(program, 7);
    REQUIRE(plan.LaneCount(0, 0) == 2);
    const PlanStep sends = plan.StepAt(0, 0, 0, 0);
    REQUIRE(sends.send);
    CHECK(sends.send->range == Interval{0, 3});
    CHECK(sends.send->peer == 1);
    const PlanStep receives = plan.StepAt(0, 0, 1, 0);
    REQUIRE(receives.receive);
    CHECK(receives.receive->range == Interval{3, 7});
    CHECK(plan.OwnedRanges(1) == std::vector<Interval>{{3, 7}});
    CHECK(plan.ScratchElements() == 0);
}
