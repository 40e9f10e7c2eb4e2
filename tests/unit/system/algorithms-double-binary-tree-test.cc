// SPDX-License-Identifier: GPL-2.0-only
#include "system/algorithms/twin-tree.h"
#include "system/collective-plan.h"
#include "tests/support/ceil-log2.h"
#include "tests/support/symbolic-cost.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace nadi;
using symbolic::MakePlan;
using symbolic::TrafficOf;

namespace
{

constexpr uint32_t LARGEST_TREE = 40;
constexpr uint32_t ROOT_OFFSET = 3;

uint32_t
DepthOf(const Tree& tree, uint32_t member)
{
    uint32_t depth = 0;
    for (auto parent = tree.ParentOf(member); parent; parent = tree.ParentOf(*parent))
    {
        ++depth;
    }
    return depth;
}

} // namespace

TEST_CASE("TwinTree: children and parents agree, and every member hangs below the root",
          "[unit][system]")
{
    for (const auto twin : {TwinTree::Twin::First, TwinTree::Twin::Second})
    {
        for (uint32_t p = 1; p <= LARGEST_TREE; ++p)
        {
            const uint32_t root = ROOT_OFFSET % p;
            const TwinTree tree(twin, p, root);
            uint32_t edges = 0;
            for (uint32_t member = 0; member < p; ++member)
            {
                REQUIRE(tree.ChildCount(member) <= 2);
                CHECK(tree.ParentOf(member).has_value() == (member != root));
                CHECK(DepthOf(tree, member) <= CeilLog2(p));
                for (uint32_t i = 0; i < tree.ChildCount(member); ++i, ++edges)
                {
                    CHECK(tree.ParentOf(tree.ChildOf(member, i)) == member);
                }
            }
            CHECK(edges == p - 1);
        }
    }
}

TEST_CASE("TwinTree: nobody but the root has children in both trees", "[unit][system]")
{
    for (uint32_t p = 2; p <= LARGEST_TREE; ++p)
    {
        const uint32_t root = ROOT_OFFSET % p;
        const TwinTree first(TwinTree::Twin::First, p, root);
        const TwinTree second(TwinTree::Twin::Second, p, root);
        for (uint32_t member = 0; member < p; ++member)
        {
            const bool isInner = first.ChildCount(member) > 0 && second.ChildCount(member) > 0;
            CHECK(isInner == (member == root));
        }
    }
}

TEST_CASE("DoubleBinaryTree: no member sends or receives more than S per broadcast, 2 S per "
          "all-reduce",
          "[unit][system]")
{
    const uint64_t n = 10;
    for (uint32_t p = 2; p <= LARGEST_TREE; ++p)
    {
        const auto broadcast =
            MakePlan("double-binary-tree",
                     {.type = CollectiveType::Broadcast, .ranks = p, .elements = n, .root = p - 1});
        const auto allReduce = MakePlan(
            "double-binary-tree", {.type = CollectiveType::AllReduce, .ranks = p, .elements = n});
        for (uint32_t r = 0; r < p; ++r)
        {
            CHECK(TrafficOf(*broadcast, r).elementsSent <= n);
            CHECK(TrafficOf(*broadcast, r).elementsReceived == (r == p - 1 ? 0 : n));
            CHECK(TrafficOf(*allReduce, r).elementsSent <= 2 * n);
            CHECK(TrafficOf(*allReduce, r).elementsReceived <= 2 * n);
        }
    }
}

TEST_CASE("DoubleBinaryTree: each slice of each half is a lane, halves in turn", "[unit][system]")
{
    // 12 elements of 64 KiB: halves of 6, slices of 2 elements (128 KiB): 3 slices each.
    const auto plan = MakePlan(
        "double-binary-tree",
        {.type = CollectiveType::AllReduce, .ranks = 6, .elements = 12, .elementBytes = 64 * 1024},
        {{"slice", "128 KiB"}});
    REQUIRE(plan->LaneCount(0, 0) == 2 * 3);
    const std::vector<uint64_t> begins{0, 6, 2, 8, 4, 10};
    for (uint32_t lane = 0; lane < 6; ++lane)
    {
        const PlanStep step = plan->StepAt(0, 0, lane, 0); // member 0 is the root
        CHECK(step.receive->range == Interval{begins[lane], begins[lane] + 2});
        CHECK(step.action == PlanStep::Action::Reduce);
    }
}
