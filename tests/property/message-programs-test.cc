// SPDX-License-Identifier: GPL-2.0-only
// Does the proof of message programs let nothing through that changes data?
#include "system/library/msccl-file/msccl-file.h"
#include "system/message-programs/msccl-program.h"
#include "system/message-programs/msccl-writer.h"
#include "system/message-programs/plan-program.h"
#include "system/message-programs/program-plan.h"
#include "system/message-programs/program-proof.h"
#include "tests/support/case-count.h"
#include "tests/support/draft-program.h"
#include "tests/support/endpoint-algorithms.h"
#include "tests/support/symbolic-cost.h"
#include "tests/support/symbolic-promise.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

const std::vector<CollectiveType> TREE_TYPES{
    CollectiveType::AllReduce, CollectiveType::AllGather, CollectiveType::ReduceScatter};

/// What one of many random orders of events shows to be wrong with a program, with buffers of one
/// element a chunk. Independent of the proof: it runs the plan as ranks do.
std::string
WrongIfRun(const MessageProgram& program, uint32_t orders)
{
    const ProgramBuffers& buffers = program.Buffers();
    const ProgramPlan plan(program, buffers.chunks);
    const PlanRequest request{
        .type = buffers.type, .ranks = buffers.ranks, .elements = buffers.chunks};
    for (uint32_t seed = 0; seed < orders; ++seed)
    {
        if (const auto problem = symbolic::FindProblem(request, plan, {seed, 1}))
        {
            return *problem;
        }
    }
    return "";
}

std::string
FaultOf(const MessageProgram& program)
{
    const auto fault = FindProgramFault(program);
    return fault ? fault->what : "";
}

MessageProgram
ReadBack(const MessageProgram& program)
{
    const std::string xml = WriteMsccl(program, "x");
    return MakeMscclProgram(ParseMscclAlgorithm(xml, "x.xml"), program.Buffers().type);
}

/// A lane with steps, drawn at random.
DraftProgram::Lane&
DrawLane(DraftProgram& draft, std::mt19937& random)
{
    while (true)
    {
        auto& lanes = draft.ranks[random() % draft.ranks.size()];
        if (!lanes.empty())
        {
            DraftProgram::Lane& lane = lanes[random() % lanes.size()];
            if (!lane.steps.empty())
            {
                return lane;
            }
        }
    }
}

/// One mistake, as a buggy tool would make it; its name.
std::string
Spoil(DraftProgram& draft, std::mt19937& random)
{
    std::vector<DraftProgram::Step>& steps = DrawLane(draft, random).steps;
    const size_t at = random() % steps.size();
    const auto place = steps.begin() + static_cast<ptrdiff_t>(at);
    switch (random() % 6)
    {
    case 0:
        steps.erase(place);
        return "a step is dropped";
    case 1:
    {
        DraftProgram::Step copy = *place;
        copy.name = draft.names++;
        steps.insert(place, copy);
        return "a step is doubled";
    }
    case 2:
        std::swap(steps[at], steps[random() % steps.size()]);
        return "two steps are swapped";
    case 3:
        place->after.reset();
        return "a wait is left out";
    case 4:
        place->what.place =
            static_cast<uint32_t>((place->what.place + 1 + random()) % draft.buffers.chunks);
        return "another chunk";
    default:
        using Action = ProgramStep::Action;
        if (place->what.Receives())
        {
            place->what.action =
                place->what.action == Action::Receive ? Action::ReceiveReduce : Action::Receive;
        }
        return "a sum instead of a copy, or the other way round";
    }
}

} // namespace

TEST_CASE("Message programs: chunks over random trees are proven, and run as they are proven",
          "[property][programs]")
{
    for (uint32_t seed = 0; seed < 100; ++seed)
    {
        std::mt19937 random(seed);
        const CollectiveType type = TREE_TYPES[seed % TREE_TYPES.size()];
        const auto ranks = static_cast<uint32_t>(1 + random() % 17);
        const auto chunks = static_cast<uint32_t>(1 + random() % 5);
        const MessageProgram program = RandomTreeProgram(type, ranks, chunks, random).Build();
        INFO(ToText(type) << ", p = " << ranks << ", chunks " << chunks << ", seed " << seed);
        CHECK(FaultOf(program) == "");
        CHECK(WrongIfRun(program, 2) == "");
    }
}

TEST_CASE("Message programs: no mistake that changes data passes the proof", "[property][programs]")
{
    uint32_t wrong = 0;
    uint32_t refused = 0;
    uint32_t passed = 0;
    const uint32_t cases = CaseCount{.reduced = 300, .normal = 1500, .full = 20000}.Pick();
    for (uint32_t seed = 0; seed < cases; ++seed)
    {
        std::mt19937 random(seed);
        const CollectiveType type = TREE_TYPES[seed % TREE_TYPES.size()];
        const auto ranks = static_cast<uint32_t>(2 + random() % 5);
        const auto chunks = static_cast<uint32_t>(1 + random() % 3);
        DraftProgram draft = RandomTreeProgram(type, ranks, chunks, random);
        const std::string mistake = Spoil(draft, random);
        const MessageProgram program = draft.Build();
        const std::string fault = FaultOf(program);
        const std::string problem = WrongIfRun(program, 30);
        refused += fault.empty() ? 0 : 1;
        wrong += problem.empty() ? 0 : 1;
        if (fault.empty() && !problem.empty())
        {
            ++passed;
            UNSCOPED_INFO("seed " << seed << ": " << mistake << ", " << ToText(type)
                                  << ", p = " << ranks << ": " << problem);
        }
    }
    CHECK(passed == 0);
    // Most mistakes change something, and a proof that refused everything would prove nothing.
    CHECK(wrong > cases / 2);
    CHECK(refused >= wrong);
    CHECK(refused < cases);
}

TEST_CASE("Message programs: plans of the built-in algorithms are programs, and proven as such",
          "[property][programs]")
{
    for (const CollectiveType type : AllCollectiveTypes())
    {
        if (type == CollectiveType::AllToAll || type == CollectiveType::Barrier)
        {
            continue;
        }
        for (const std::string& name : EndpointAlgorithmsFor(type))
        {
            for (const uint32_t ranks : {2U, 3U, 8U, 13U})
            {
                const PlanRequest request{.type = type, .ranks = ranks, .elements = ranks * 4};
                INFO(name << ", " << ToText(type) << ", p = " << ranks);
                const auto plan = symbolic::MakePlan(name, request);
                const MessageProgram program = MakePlanProgram(*plan, request);
                CHECK(FaultOf(program) == "");
                // What was written reads back as the same program.
                CHECK(WriteMsccl(ReadBack(program), "x") == WriteMsccl(program, "x"));
            }
        }
    }
}
