// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/layout-table.h"
#include "tests/support/make-communicator.h"

#include <catch2/catch.hpp>

using namespace nadi;

namespace
{

std::vector<Dimension>
StackOf(const std::vector<uint32_t>& sizes)
{
    std::vector<Dimension> stack;
    for (const uint32_t size : sizes)
    {
        stack.push_back({.shape = "switch", .size = size, .bandwidth = {}, .latency = {}});
    }
    return stack;
}

std::vector<uint32_t>
OrderOf(const CommunicatorLayout& layout)
{
    std::vector<uint32_t> ranks;
    for (uint32_t member = 0; member < layout.Size(); ++member)
    {
        ranks.push_back(layout.RankOf(member).value);
    }
    return ranks;
}

} // namespace

TEST_CASE("LayoutTable: a flat layout keeps the order of the list, also of whole dimensions",
          "[unit][system]")
{
    using Ranks = std::vector<uint32_t>;
    const Ranks all = {0, 4, 1, 5, 2, 6, 3, 7};
    const Ranks most = {0, 4, 1, 5, 2, 6, 3};
    const Ranks row = {6, 4, 5, 7};
    for (const Ranks& sizes : {Ranks{8}, Ranks{4, 2}})
    {
        for (const Ranks& list : {all, most, row})
        {
            LayoutTable layouts(StackOf(sizes), {}, 1);
            const CommunicatorLayout& flat = layouts.Find(MakeCommunicator(list), LayoutKind::Flat);
            CHECK(OrderOf(flat) == list);
            CHECK(flat.Dimensions().size() == 1);
            CHECK(flat.MemberOf(RankId{list[1]}) == 1);
        }
    }
    LayoutTable layouts(StackOf({4, 2}), {}, 1);
    const CommunicatorLayout& stacked = layouts.Find(MakeCommunicator(all), LayoutKind::Stacked);
    CHECK(OrderOf(stacked) == Ranks{0, 1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("LayoutTable: along one dimension, ranks that ascend stand in the order of their places",
          "[unit][system]")
{
    LayoutTable layouts(StackOf({4}), RankPlacement({2, 0, 3, 1}, 4), 2);
    CHECK(OrderOf(layouts.Find(MakeCommunicator({0, 1, 2, 3}, 0), LayoutKind::Flat)) ==
          std::vector<uint32_t>{1, 3, 0, 2});
    CHECK(OrderOf(layouts.Find(MakeCommunicator({3, 1, 2, 0}, 1), LayoutKind::Flat)) ==
          std::vector<uint32_t>{3, 1, 2, 0});
}
