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

TEST_CASE("CheckJob: a root outside of the group is named, with its node", "[unit][workload]")
{
    const auto errorOfRoot = [](uint32_t root, std::vector<RankId> members)
    {
        ExecutionGraphBuilder builder("test");
        ExecutionNode call = MakeCollective(7, CollectiveType::Broadcast, 64);
        call.peer = root;
        call.group = members.empty() ? 0 : builder.AddGroup("pair");
        builder.AddNode(call, "share");
        Workload workload;
        workload.graphs.push_back(builder.Build());
        workload.graphOfRank.assign(2, 0);
        workload.communicators = {{CommunicatorId{0}, {RankId{0}, RankId{1}}},
                                  {CommunicatorId{1}, std::move(members)}};
        workload.communicatorOfGroup.assign(2, {CommunicatorId{0}, CommunicatorId{1}});
        return ConfigErrorText([&] { CheckJob(workload); });
    };
    CHECK(errorOfRoot(3, {RankId{1}, RankId{0}}) ==
          "test: node 7 \"share\" of rank 0 has rank 3 as its root, which is not in group "
          "\"pair\"; name a rank of the group");
    CHECK(errorOfRoot(2, {}) ==
          "test: node 7 \"share\" of rank 0 has rank 2 as its root, which is not in the job, whose "
          "ranks are 0 to 1; name a rank of the group");
}

TEST_CASE("CheckJob: a root of the group, or none, is accepted", "[unit][workload]")
{
    for (const uint32_t root : {uint32_t{0}, uint32_t{1}, ExecutionNode::NO_ROOT})
    {
        ExecutionGraphBuilder builder("test");
        ExecutionNode call = MakeCollective(7, CollectiveType::Broadcast, 64);
        call.peer = root;
        builder.AddNode(call, "share");
        CHECK_NOTHROW(CheckJob(MakeUniformWorkload(builder.Build(), 2)));
    }
}
