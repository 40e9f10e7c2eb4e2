// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "system/communicator.h"
#include "tests/support/make-communicator.h"

#include <catch2/catch.hpp>

#include <initializer_list>
#include <numeric>
#include <utility>
#include <vector>

using namespace nadi;

namespace
{

/// Whether members lie in the layout's dimensions as their ranks lie in the stack.
bool
MatchesStack(const CommunicatorLayout& layout, const RankGrid& stack)
{
    for (uint32_t member = 0; member < layout.Size(); ++member)
    {
        for (uint32_t index = 0; index < layout.Dimensions().size(); ++index)
        {
            const uint32_t inStack = layout.Dimensions()[index].stackDimension.value();
            if (layout.Members().Coordinate(member, index) !=
                stack.Coordinate(layout.RankOf(member).value, inStack))
            {
                return false;
            }
        }
    }
    return true;
}

} // namespace

TEST_CASE("CommunicatorLayout: all ranks of a stack use all of its dimensions", "[unit][system]")
{
    const RankGrid stack({4, 2});
    const CommunicatorLayout layout(MakeCommunicator({0, 1, 2, 3, 4, 5, 6, 7}), stack);

    REQUIRE_FALSE(layout.IsFlat());
    REQUIRE(layout.Dimensions().size() == 2);
    CHECK(layout.Dimensions()[0].size == 4);
    CHECK(layout.Dimensions()[0].stackDimension == 0);
    CHECK(layout.Dimensions()[1].size == 2);
    CHECK(layout.Dimensions()[1].stackDimension == 1);
    CHECK(MatchesStack(layout, stack));
}

TEST_CASE("CommunicatorLayout: ranks have the coordinates of their places", "[unit][system]")
{
    // rank 0 1 2 3 4 5 6 7
    const RankPlacement places({0, 4, 1, 5, 2, 6, 3, 7}, 8);
    const RankGrid stack({4, 2});
    const CommunicatorLayout line(MakeCommunicator({6, 4, 2, 0}), stack, places);
    REQUIRE_FALSE(line.IsFlat());
    REQUIRE(line.Dimensions().size() == 1);
    CHECK(line.Dimensions()[0].stackDimension == 0);
    CHECK(line.RankOf(1) == RankId{2}); // at place 1
    CHECK(line.MemberOf(RankId{6}) == 3);

    const CommunicatorLayout column(MakeCommunicator({2, 3}), stack, places);
    REQUIRE(column.Dimensions().size() == 1);
    CHECK(column.Dimensions()[0].stackDimension == 1);

    const CommunicatorLayout list(MakeCommunicator({3, 1, 0}), stack, places);
    REQUIRE(list.IsFlat());
    CHECK(list.RankOf(0) == RankId{3}); // in the order of the list, wherever they stand
}

TEST_CASE("CommunicatorLayout: a line of the stack uses the one dimension that it spans",
          "[unit][system]")
{
    const RankGrid stack({4, 2});
    SECTION("along the innermost")
    {
        const CommunicatorLayout layout(MakeCommunicator({4, 5, 6, 7}), stack);
        REQUIRE_FALSE(layout.IsFlat());
        REQUIRE(layout.Dimensions().size() == 1);
        CHECK(layout.Dimensions()[0].size == 4);
        CHECK(layout.Dimensions()[0].stackDimension == 0);
    }
    SECTION("along the outermost")
    {
        const CommunicatorLayout layout(MakeCommunicator({1, 5}), stack);
        REQUIRE_FALSE(layout.IsFlat());
        REQUIRE(layout.Dimensions().size() == 1);
        CHECK(layout.Dimensions()[0].size == 2);
        CHECK(layout.Dimensions()[0].stackDimension == 1);
    }
}

TEST_CASE("CommunicatorLayout: a product may span some dimensions at one coordinate of another",
          "[unit][system]")
{
    const RankGrid stack({2, 3, 2});
    // Coordinate 1 along the middle dimension: ranks 2, 3 (outermost 0) and 8, 9 (outermost 1).
    const CommunicatorLayout layout(MakeCommunicator({2, 3, 8, 9}), stack);

    REQUIRE_FALSE(layout.IsFlat());
    REQUIRE(layout.Dimensions().size() == 2);
    CHECK(layout.Dimensions()[0].stackDimension == 0);
    CHECK(layout.Dimensions()[1].stackDimension == 2);
    CHECK(MatchesStack(layout, stack));
}

TEST_CASE("CommunicatorLayout: members of a product are numbered by address, not by the list",
          "[unit][system]")
{
    const RankGrid stack({2, 2});
    const CommunicatorLayout layout(MakeCommunicator({3, 0, 2, 1}), stack);

    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        CHECK(layout.RankOf(rank) == RankId{rank});
        CHECK(layout.MemberOf(RankId{rank}) == rank);
    }
    CHECK(MatchesStack(layout, stack));
}

TEST_CASE("CommunicatorLayout: a grid of parts of dimensions uses these, with the parts' sizes",
          "[unit][system]")
{
    const RankGrid stack({8, 4});
    const auto sizes = [&stack](const std::vector<uint32_t>& ranks)
    {
        const CommunicatorLayout layout(MakeCommunicator(ranks), stack);
        CHECK_FALSE(layout.IsFlat());
        std::vector<std::pair<uint32_t, uint32_t>> found; // dimension, size
        for (const CommunicatorDimension& dimension : layout.Dimensions())
        {
            found.emplace_back(dimension.stackDimension.value(), dimension.size);
        }
        return found;
    };
    using Sizes = std::vector<std::pair<uint32_t, uint32_t>>;

    SECTION("two whole nodes of four")
    {
        std::vector<uint32_t> ranks(16);
        std::iota(ranks.begin(), ranks.end(), 8U);
        CHECK(sizes(ranks) == Sizes{{0, 8}, {1, 2}});
    }
    SECTION("two places of each node, side by side or not")
    {
        CHECK(sizes({2, 3, 10, 11, 18, 19, 26, 27}) == Sizes{{0, 2}, {1, 4}});
        CHECK(sizes({0, 4, 8, 12, 16, 20, 24, 28}) == Sizes{{0, 2}, {1, 4}});
    }
    SECTION("parts of both")
    {
        CHECK(sizes({1, 4, 6, 17, 20, 22}) == Sizes{{0, 3}, {1, 2}});
    }
}

TEST_CASE("CommunicatorLayout: members of a grid of parts are numbered by the coordinates that "
          "occur",
          "[unit][system]")
{
    // Places 1 and 6 of nodes 0 and 2, named in another order.
    const CommunicatorLayout layout(MakeCommunicator({22, 1, 17, 6}), RankGrid({8, 4}));

    REQUIRE(layout.Dimensions().size() == 2);
    CHECK(layout.RankOf(0) == RankId{1});
    CHECK(layout.RankOf(1) == RankId{6});
    CHECK(layout.RankOf(2) == RankId{17});
    CHECK(layout.RankOf(3) == RankId{22});
    CHECK(layout.Members().Coordinate(layout.MemberOf(RankId{22}), 0) == 1);
    CHECK(layout.Members().Coordinate(layout.MemberOf(RankId{17}), 1) == 1);
}

TEST_CASE("CommunicatorLayout: a part of one dimension is a list in its own order",
          "[unit][system]")
{
    const CommunicatorLayout layout(MakeCommunicator({5, 1, 3}), RankGrid({8, 4}));

    CHECK(layout.IsFlat());
    CHECK(layout.Dimensions().at(0).stackDimension == 0);
    CHECK(layout.RankOf(0) == RankId{5});
}

TEST_CASE("CommunicatorLayout: nodes with unequal parts, or with other places, are no grid",
          "[unit][system]")
{
    const RankGrid stack({4, 4});
    CHECK(CommunicatorLayout(MakeCommunicator({0, 1, 2, 3, 4, 5}), stack).IsFlat());
    CHECK(CommunicatorLayout(MakeCommunicator({0, 1, 6, 7}), stack).IsFlat());
}

TEST_CASE("CommunicatorLayout: what is no grid is one flat list in its own order", "[unit][system]")
{
    const RankGrid stack({4, 2});
    const CommunicatorLayout layout(MakeCommunicator({6, 1, 0}), stack);

    CHECK(layout.IsFlat());
    REQUIRE(layout.Dimensions().size() == 1);
    CHECK(layout.Dimensions()[0].size == 3);
    CHECK(layout.RankOf(0) == RankId{6});
    CHECK(layout.RankOf(1) == RankId{1});
    CHECK(layout.RankOf(2) == RankId{0});
    CHECK(layout.MemberOf(RankId{6}) == 0);
    CHECK(layout.MemberOf(RankId{0}) == 2);
    CHECK(layout.Members().RankCount() == 3);
}

TEST_CASE("CommunicatorLayout: a flat list names the innermost dimension in which all members "
          "differ",
          "[unit][system]")
{
    const RankGrid stack({2, 4});
    const auto stackDimension = [&stack](std::initializer_list<uint32_t> ranks)
    {
        const CommunicatorLayout layout(MakeCommunicator(ranks), stack);
        REQUIRE(layout.IsFlat());
        return layout.Dimensions().at(0).stackDimension;
    };

    // Addresses (innermost, outermost): rank 0 = (0, 0), 3 = (1, 1), 4 = (0, 2), 2 = (0, 1).
    CHECK(stackDimension({0, 3}) == 0);
    CHECK(stackDimension({0, 3, 4}) == 1);
    CHECK(stackDimension({0, 3, 2}) == std::nullopt);
}

TEST_CASE("CommunicatorLayout: three corners of a square are no grid", "[unit][system]")
{
    const RankGrid stack({2, 2});
    CHECK(CommunicatorLayout(MakeCommunicator({0, 1, 2}), stack).IsFlat());
}

TEST_CASE("CommunicatorLayout: a group of one has no dimensions", "[unit][system]")
{
    const CommunicatorLayout layout(MakeCommunicator({5}), RankGrid({4, 2}));

    CHECK_FALSE(layout.IsFlat());
    CHECK(layout.Dimensions().empty());
    CHECK(layout.Size() == 1);
    CHECK(layout.Members().RankCount() == 1);
    CHECK(layout.RankOf(0) == RankId{5});
}

TEST_CASE("CommunicatorLayout: dimensions of size 1 are left out", "[unit][system]")
{
    const RankGrid stack({1, 3, 1});
    const CommunicatorLayout layout(MakeCommunicator({0, 1, 2}), stack);

    REQUIRE_FALSE(layout.IsFlat());
    REQUIRE(layout.Dimensions().size() == 1);
    CHECK(layout.Dimensions()[0].size == 3);
    CHECK(layout.Dimensions()[0].stackDimension == 1);
}

TEST_CASE("CommunicatorLayout: ranks that leave NPUs of a dimension unused are a flat list",
          "[unit][system]")
{
    const CommunicatorLayout layout(MakeCommunicator({0, 1, 2, 3, 4, 5}), RankGrid({8}));

    CHECK(layout.IsFlat());
    CHECK(layout.Dimensions().at(0).size == 6);
    CHECK(layout.Dimensions().at(0).stackDimension == 0);
}

TEST_CASE("CommunicatorLayout: asking for a rank that is no member is a bug", "[unit][system]")
{
    const CommunicatorLayout layout(MakeCommunicator({1, 3}), RankGrid({4}));
    CHECK_THROWS_AS(layout.MemberOf(RankId{2}), CheckFailure);
    CHECK_THROWS_AS(CommunicatorLayout(MakeCommunicator({4}), RankGrid({4})), CheckFailure);
}
