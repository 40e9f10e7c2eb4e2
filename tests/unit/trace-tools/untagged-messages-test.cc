// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/config-error-text.h"
#include "tests/support/job-bench.h"
#include "workload/tools/exports/untagged-messages.h"

#include <catch2/catch.hpp>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// Two messages from rank 0 to rank 1, received in this order of their tags.
Workload
MakeTwoMessages(uint64_t secondSize, uint64_t firstReceived)
{
    std::vector<ExecutionGraphBuilder> builders{ExecutionGraphBuilder("job.0.et"),
                                                ExecutionGraphBuilder("job.1.et")};
    const auto sizeOf = [secondSize](uint64_t tag) { return tag == 1 ? 1000 : secondSize; };
    const auto sized = [&sizeOf](ExecutionNode node)
    {
        node.size = sizeOf(node.tag);
        return node;
    };
    builders[0].AddNode(sized(MakeSend(1, 1, 1)), "one");
    builders[0].AddNode(sized(MakeSend(2, 1, 2)), "two", {1});
    builders[1].AddNode(sized(MakeReceive(1, 0, firstReceived)), "first");
    builders[1].AddNode(sized(MakeReceive(2, 0, 3 - firstReceived)), "second", {1});
    return MakeWorkload(BuildAll(builders));
}

} // namespace

TEST_CASE("CheckWithoutTags: messages in one order meet as they do with tags", "[trace-tools]")
{
    CHECK(CheckWithoutTags(MakeTwoMessages(2000, 1)).empty());
}

TEST_CASE("CheckWithoutTags: messages of one size in another order are noted", "[trace-tools]")
{
    const std::vector<std::string> notes = CheckWithoutTags(MakeTwoMessages(1000, 2));
    REQUIRE(notes.size() == 1);
    CHECK(notes.front() == "1 pair of ranks receives messages in another order than they are sent; "
                           "comm_replay has no tags, so that messages of equal size meet otherwise "
                           "than in the trace");
}

TEST_CASE("CheckWithoutTags: messages of other sizes in another order are an error",
          "[trace-tools]")
{
    CHECK(ConfigErrorText([] { CheckWithoutTags(MakeTwoMessages(2000, 2)); }) ==
          "job.1.et: node 1 (first): receives tag 2 of rank 0 where that sends tag 1 of another "
          "size; without tags, which comm_replay does not have, these would meet: let both ranks "
          "call the messages in one order");
}
