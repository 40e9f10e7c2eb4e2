// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/config-error-text.h"
#include "tests/support/job-bench.h"
#include "workload/engine/job-check.h"

#include <catch2/catch.hpp>

#include <ctime>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// A job of one graph for all ranks: an all-reduce on "group", which is the communicator of these.
Workload
MakeGroupJob(uint32_t rankCount, std::vector<RankId> members)
{
    ExecutionGraphBuilder builder("test");
    ExecutionNode call = MakeCollective(1, CollectiveType::AllReduce, 64);
    call.group = builder.AddGroup("group");
    builder.AddNode(call, "sum");
    Workload workload;
    workload.graphs.push_back(builder.Build());
    workload.graphOfRank.assign(rankCount, 0);
    workload.communicators = {{CommunicatorId{0}, {}}, {CommunicatorId{1}, std::move(members)}};
    workload.communicatorOfGroup.assign(
        rankCount, std::vector<CommunicatorId>(call.group + 1, CommunicatorId{1}));
    return workload;
}

std::vector<RankId>
RanksDownFrom(uint32_t last)
{
    std::vector<RankId> ranks;
    for (uint32_t rank = last + 1; rank-- > 0;)
    {
        ranks.push_back(RankId{rank});
    }
    return ranks;
}

} // namespace

TEST_CASE("CheckJob: a group may list its members in any order", "[unit][workload]")
{
    CHECK_NOTHROW(CheckJob(MakeGroupJob(3, {RankId{2}, RankId{0}, RankId{1}})));
}

TEST_CASE("CheckJob: a rank that calls on a group without it is named", "[unit][workload]")
{
    CHECK(ConfigErrorText(
              [] {
                  CheckJob(MakeGroupJob(3, {RankId{2}, RankId{0}}));
              }) ==
          "test: rank 1 calls node 1 \"sum\" on group \"group\", which does not contain it; add "
          "the rank to the group");
}

TEST_CASE("CheckJob: large groups are checked in less than quadratic time", "[unit][workload]")
{
    // Ranks one by one against a list of 2^18 ranks are 3e10 comparisons, many seconds; by halving
    // they are 5e6.
    const uint32_t ranks = 1u << 18;
    const Workload workload = MakeGroupJob(ranks, RanksDownFrom(ranks - 1));
    const std::clock_t begin = std::clock();
    CheckJob(workload);
    CHECK(std::clock() - begin < 3 * CLOCKS_PER_SEC);
}
