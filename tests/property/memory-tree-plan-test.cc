// SPDX-License-Identifier: GPL-2.0-only
// Do loads and stores of groups keep their promise on any tree, in any order of arrival?
#include "network/memory-tree.h"
#include "system/remote-memory/memory-tree-plan.h"
#include "tests/support/case-count.h"
#include "tests/support/draws.h"
#include "tests/support/symbolic-buffers.h"
#include "tests/support/symbolic-execution.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace nadi;

namespace
{

const uint64_t MEMORY_PLAN_CASES =
    test::CaseCount{.reduced = 20, .normal = 100, .full = 500}.Pick();

/// A tree of a memory with `members` and up to four switches, members among the inner nodes; or one
/// whose root has all members as children.
AggregationTree
DrawMemoryTree(test::Draws& draws, uint32_t members)
{
    if (draws.Below(5) == 0)
    {
        return MakeMemoryStar(VertexId{100}, members);
    }
    const auto switches =
        static_cast<uint32_t>(draws.Below(std::min<uint64_t>(5, uint64_t{members} + 1)));
    const uint32_t root = members + switches;
    std::vector<VertexId> helpers;
    std::vector<std::optional<uint32_t>> parents(root + 1);
    for (uint32_t i = 0; i < switches; ++i)
    {
        helpers.push_back(VertexId{100 + i});
        parents[members + i] = i == 0 ? root : members + static_cast<uint32_t>(draws.Below(i));
    }
    helpers.push_back(VertexId{100 + switches});
    for (uint32_t member = 0; member < members; ++member)
    {
        // One on each switch, the others anywhere.
        const auto choice = static_cast<uint32_t>(draws.Below(uint64_t{member} + switches + 1));
        const uint32_t anywhere = choice < member ? choice : members + choice - member;
        parents[member] = member < switches ? members + member : anywhere;
    }
    // The memory has one child: what else hangs there hangs on the first member.
    for (uint32_t member = 1; member < members; ++member)
    {
        parents[member] = *parents[member] == root ? 0 : *parents[member];
    }
    parents[0] = switches > 0 && *parents[0] == root ? members : *parents[0];
    return {members, std::move(helpers), parents};
}

/// The members' own tokens; the memory's are numbered after them.
symbolic::Buffers
MakeMemoryBuffers(const AggregationTree& tree, uint64_t elements)
{
    symbolic::Buffers buffers(
        {.ranks = tree.NodeCount(), .elements = elements, .contributors = tree.MemberCount() + 1});
    for (uint64_t element = 0; element < elements; ++element)
    {
        for (uint32_t member = 0; member < tree.MemberCount(); ++member)
        {
            buffers.At(member, 0, element)[member] = 1;
        }
        buffers.At(tree.Root(), 0, element)[tree.MemberCount()] = 1;
    }
    return buffers;
}

/// Whether a place holds the tokens of contributors [first, last) once, and no other.
bool
HoldsOnce(const symbolic::Buffers& buffers, uint32_t at, uint32_t first, uint32_t last)
{
    for (uint64_t element = 0; element < buffers.GetShape().elements; ++element)
    {
        const symbolic::ConstTokenCounts counts = buffers.At(at, 0, element);
        for (uint32_t contributor = 0; contributor < counts.size(); ++contributor)
        {
            const bool isMeant = first <= contributor && contributor < last;
            if (counts[contributor] != (isMeant ? 1 : 0) ||
                buffers.HeldAt(at, 0, element) != element)
            {
                return false;
            }
        }
    }
    return true;
}

/// How many elements a member of the plan sends, and with how many messages it does.
std::pair<uint64_t, uint32_t>
CountSends(const MemoryTreePlan& plan, uint32_t member)
{
    std::pair<uint64_t, uint32_t> sent;
    for (uint32_t stage = 0; stage < plan.StageCount(); ++stage)
    {
        for (uint32_t lane = 0; lane < plan.LaneCount(member, stage); ++lane)
        {
            for (uint32_t step = 0; step < plan.StepCount(member, stage, lane); ++step)
            {
                if (const auto send = plan.StepAt(member, stage, lane, step).send)
                {
                    sent.first += send->range.Length();
                    ++sent.second;
                }
            }
        }
    }
    return sent;
}

struct MemoryPlanCase
{
    AggregationTree tree;
    uint64_t elements = 0;
    Bytes slice;

    MemoryTreePlan Plan(MemoryDirection direction) const
    {
        return {tree, {.direction = direction, .elements = elements, .slice = slice}};
    }

    uint64_t ChildrenOfMemory() const
    {
        return tree.ChildrenOf(tree.Root()).size();
    }
};

MemoryPlanCase
DrawPlanCase(test::Draws& draws)
{
    const auto members = static_cast<uint32_t>(1 + draws.Below(17));
    AggregationTree tree = DrawMemoryTree(draws, members);
    return {.tree = std::move(tree),
            .elements = draws.Below(40),
            .slice = Bytes(static_cast<int64_t>(1 + draws.Below(9)))};
}

symbolic::Schedule
DrawSchedule(test::Draws& draws)
{
    return {.seed = static_cast<uint32_t>(draws.Below(1U << 30)),
            .window = static_cast<uint32_t>(1 + draws.Below(5))};
}

} // namespace

TEST_CASE("MemoryTreePlan: after a load every member has all that the memory holds, which left it "
          "once for each of its children",
          "[property][system][symbolic]")
{
    for (uint64_t i = 0; i < MEMORY_PLAN_CASES; ++i)
    {
        test::Draws draws(test::FirstSeed() + i);
        const MemoryPlanCase drawn = DrawPlanCase(draws);
        const MemoryTreePlan plan = drawn.Plan(MemoryDirection::Load);
        const uint32_t members = drawn.tree.MemberCount();
        CAPTURE(i, members, drawn.elements, drawn.slice.Count());
        symbolic::Execution execution(
            plan, MakeMemoryBuffers(drawn.tree, drawn.elements), DrawSchedule(draws));
        REQUIRE(execution.Run().value_or("") == "");
        for (uint32_t member = 0; member < members; ++member)
        {
            CHECK(HoldsOnce(execution.Result(), member, members, members + 1));
            // The memory reads when all have asked.
            CHECK(execution.HeardBy(member).count() >= members);
        }
        CHECK(CountSends(plan, drawn.tree.Root()).first ==
              drawn.elements * drawn.ChildrenOfMemory());
    }
}

TEST_CASE("MemoryTreePlan: after a store the memory has what each member brought once, and each "
          "member sent it once",
          "[property][system][symbolic]")
{
    for (uint64_t i = 0; i < MEMORY_PLAN_CASES; ++i)
    {
        test::Draws draws(test::FirstSeed() + i);
        const MemoryPlanCase drawn = DrawPlanCase(draws);
        const MemoryTreePlan plan = drawn.Plan(MemoryDirection::Store);
        const uint32_t members = drawn.tree.MemberCount();
        CAPTURE(i, members, drawn.elements, drawn.slice.Count());
        symbolic::Buffers buffers = MakeMemoryBuffers(drawn.tree, drawn.elements);
        for (uint64_t element = 0; element < drawn.elements; ++element)
        {
            buffers.At(drawn.tree.Root(), 0, element)[members] = 0; // it begins with nothing
        }
        symbolic::Execution execution(plan, std::move(buffers), DrawSchedule(draws));
        REQUIRE(execution.Run().value_or("") == "");
        // The memory adds to what it has what it receives, and copies it over itself when it
        // writes.
        CHECK(HoldsOnce(execution.Result(), drawn.tree.Root(), 0, members));
        for (uint32_t node = 0; node < drawn.tree.Root(); ++node)
        {
            CHECK(CountSends(plan, node).first == drawn.elements);
        }
        CHECK(CountSends(plan, drawn.tree.Root()).second == 0);
    }
}
