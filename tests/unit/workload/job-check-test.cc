// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/config-error-text.h"
#include "tests/support/job-bench.h"
#include "workload/engine/job-check.h"

#include <catch2/catch.hpp>

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
