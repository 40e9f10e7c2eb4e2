// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/synthesis/rank-roles.h"

#include <catch2/catch.hpp>

using namespace nadi;

namespace
{

using RankList = std::vector<uint32_t>;

} // namespace

TEST_CASE("RankRoles: neighbours play one recorded rank, and groups grow in proportion",
          "[unit][trace-tools]")
{
    const RankRoles roles(4, 8);
    for (uint32_t rank = 0; rank < 8; ++rank)
    {
        CHECK(roles.RoleOf(rank) == rank / 2);
    }
    CHECK(roles.PlayersOf(RankList{0, 2}) == RankList{0, 1, 4, 5});
    CHECK(roles.PlayersOf(RankList{2, 0}) == RankList{4, 5, 0, 1});
}

TEST_CASE("RankRoles: with fewer ranks some recorded ones are left out", "[unit][trace-tools]")
{
    const RankRoles roles(8, 2);
    CHECK(roles.RoleOf(0) == 0);
    CHECK(roles.RoleOf(1) == 4);
    CHECK(roles.PlayersOf(RankList{0, 1, 4}) == RankList{0, 1});
    CHECK(roles.PlayersOf(3).empty());
    CHECK(roles.PeersOf(0, 3).empty());
}

TEST_CASE("RankRoles: messages have two ends, also where the players of one are more",
          "[unit][trace-tools]")
{
    const RankRoles roles(2, 5); // 0, 1 and 2 play rank 0; 3 and 4 play rank 1
    CHECK(roles.PlayersOf(0) == RankList{0, 1, 2});
    CHECK(roles.PeersOf(0, 1) == RankList{3});
    CHECK(roles.PeersOf(1, 1) == RankList{4});
    CHECK(roles.PeersOf(2, 1) == RankList{3});
    CHECK(roles.PeersOf(3, 0) == RankList{0, 2});
    CHECK(roles.PeersOf(4, 0) == RankList{1});
}
