// SPDX-License-Identifier: GPL-2.0-only
#include "workload/document/clock-alignment.h"
#include "workload/document/node-attributes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <vector>

using namespace nadi;

namespace
{

ChakraProtoMsg::Node
MakeAt(uint64_t id, ChakraProtoMsg::NodeType type, int64_t start, int64_t duration)
{
    ChakraProtoMsg::Node node;
    node.set_id(id);
    node.set_type(type);
    SetStartNanos(node, start);
    SetDurationNanos(node, duration);
    return node;
}

ChakraProtoMsg::Node
MakeAllReduceAt(uint64_t id, int64_t start, int64_t duration)
{
    ChakraProtoMsg::Node node = MakeAt(id, ChakraProtoMsg::COMM_COLL_NODE, start, duration);
    SetNumber(node, NodeAttribute::CollectiveType, ChakraProtoMsg::ALL_REDUCE);
    SetNumber(node, NodeAttribute::CommunicationSize, 64);
    SetText(node, NodeAttribute::Group, "0");
    return node;
}

} // namespace

TEST_CASE("The first collective is told by starts, and its end from the begin of the recording",
          "[unit][trace-tools]")
{
    TraceDocument document;
    document.nodes = {MakeAllReduceAt(1, 5700, 10),
                      MakeAllReduceAt(2, 5500, 700),
                      MakeAt(3, ChakraProtoMsg::COMP_NODE, 5000, 20)};
    const auto first = FindFirstCollective(document);
    REQUIRE(first);
    CHECK(first->endNanos == 1200);
    CHECK(first->call == "ALL_REDUCE of 64 B in group 0");
}

TEST_CASE("Only what ends on all ranks at once tells when a recording began", "[unit][trace-tools]")
{
    TraceDocument document;
    CHECK_FALSE(FindFirstCollective(document));
    document.nodes = {MakeAt(1, ChakraProtoMsg::COMP_NODE, 5000, 20),
                      MakeAllReduceAt(2, 5100, 10),
                      MakeAllReduceAt(3, 5200, 10)};
    SetNumber(document.nodes[1], NodeAttribute::CollectiveType, ChakraProtoMsg::BROADCAST);
    SetBool(document.nodes[2], NodeAttribute::IsCpu, true);
    CHECK_FALSE(FindFirstCollective(document)); // the root of a broadcast ends early
    document.nodes.push_back(MakeAllReduceAt(4, 5300, 10));
    SetNumber(document.nodes[3], NodeAttribute::CollectiveType, ChakraProtoMsg::ALL_TO_ALL);
    const auto first = FindFirstCollective(document);
    REQUIRE(first);
    CHECK(first->endNanos == 310);
    CHECK(first->call == "ALL_TO_ALL in group 0"); // ranks may send different sizes
}

TEST_CASE("Nodes without a start do not say when a recording began", "[unit][trace-tools]")
{
    constexpr int64_t OF_2026 = 1'770'000'000'000'000'000;
    TraceDocument document;
    document.nodes = {MakeAt(1, ChakraProtoMsg::COMP_NODE, 0, 20), MakeAllReduceAt(2, 0, 10)};
    CHECK_FALSE(FindFirstCollective(document)); // no node has one
    document.nodes[1] = MakeAllReduceAt(2, OF_2026 + 100, 10);
    document.nodes.push_back(MakeAt(3, ChakraProtoMsg::COMP_NODE, OF_2026, 20));
    CHECK(FindFirstCollective(document)->endNanos == 110);
    BeginLater(document, 300);
    CHECK(GetStartNanos(document.nodes[1]) == 0); // still none
    CHECK(GetStartNanos(document.nodes[2]) == 400);
    // A clock that begins at 0, and one that begins before it.
    document.nodes = {MakeAt(1, ChakraProtoMsg::COMP_NODE, 0, 20), MakeAllReduceAt(2, 700, 10)};
    CHECK(FindFirstCollective(document)->endNanos == 710);
    ChakraProtoMsg::AttributeProto& early = *document.nodes[0].add_attr();
    early.set_name("start_nanos");
    early.set_int64_val(-50);
    CHECK(FindFirstCollective(document)->endNanos == 760);
}

TEST_CASE("What waited for nothing waits until its recording began", "[unit][trace-tools]")
{
    TraceDocument document;
    document.nodes = {MakeAt(1, ChakraProtoMsg::COMP_NODE, 5000, 20),
                      MakeAt(2, ChakraProtoMsg::COMP_NODE, 5020, 20),
                      MakeAt(7, ChakraProtoMsg::COMP_NODE, 5003, 20)};
    SetNumber(document.nodes[0], NodeAttribute::Thread, 11);
    document.nodes[1].add_data_deps(1);
    BeginLater(document, 300);
    REQUIRE(document.nodes.size() == 4);
    const ChakraProtoMsg::Node& wait = document.nodes[0];
    CHECK(wait.id() == 0);
    CHECK(wait.name() == BEFORE_RECORDING);
    CHECK(GetStartNanos(wait) == 0);
    CHECK(GetDurationNanos(wait) == 300);
    CHECK(ToInteger(GetAttribute(wait, NodeAttribute::Thread)) == 11);
    REQUIRE(document.nodes[1].data_deps_size() == 1);
    CHECK(document.nodes[1].data_deps(0) == 0);
    REQUIRE(document.nodes[2].data_deps_size() == 1);
    CHECK(document.nodes[2].data_deps(0) == 1);
    CHECK(document.nodes[3].data_deps(0) == 0);
    CHECK(GetStartNanos(document.nodes[2]) == 320);
}

TEST_CASE("What depends on absent ids alone waits for nothing either", "[unit][trace-tools]")
{
    TraceDocument document;
    document.nodes = {MakeAt(0, ChakraProtoMsg::COMP_NODE, 10, 20),
                      MakeAt(4, ChakraProtoMsg::COMP_NODE, 30, 20)};
    document.nodes[0].add_data_deps(99);
    document.nodes[1].add_data_deps(0);
    document.nodes[1].add_data_deps(98);
    BeginLater(document, 300);
    CHECK(std::ranges::count(document.nodes[1].data_deps(), 0U) == 1);
    CHECK(std::ranges::count(document.nodes[2].data_deps(), 0U) == 0);
}

TEST_CASE("Where id 0 is taken, ids grow by one", "[unit][trace-tools]")
{
    TraceDocument document;
    document.nodes = {MakeAt(0, ChakraProtoMsg::COMP_NODE, 10, 20),
                      MakeAt(4, ChakraProtoMsg::COMP_NODE, 30, 20)};
    document.nodes[1].add_data_deps(0);
    document.nodes[1].add_ctrl_deps(0);
    BeginLater(document, 300);
    CHECK(document.nodes[0].id() == 0);
    CHECK(document.nodes[1].id() == 1);
    CHECK(document.nodes[1].data_deps(0) == 0);
    CHECK(document.nodes[2].id() == 5);
    CHECK(document.nodes[2].data_deps(0) == 1);
    CHECK(document.nodes[2].ctrl_deps(0) == 1);
}

TEST_CASE("Where ids cannot grow, the wait has another one", "[unit][trace-tools]")
{
    TraceDocument document;
    document.nodes = {
        MakeAt(0, ChakraProtoMsg::COMP_NODE, 10, 20),
        MakeAt(1, ChakraProtoMsg::COMP_NODE, 30, 20),
        MakeAt(std::numeric_limits<uint64_t>::max(), ChakraProtoMsg::COMP_NODE, 50, 20)};
    BeginLater(document, 300);
    CHECK(document.nodes[0].id() == 2);
    CHECK(document.nodes[1].id() == 0);
    CHECK(document.nodes[1].data_deps(0) == 2);
}

TEST_CASE("Where a trace has control dependencies alone, the wait is one", "[unit][trace-tools]")
{
    TraceDocument document;
    document.nodes = {MakeAt(1, ChakraProtoMsg::COMP_NODE, 10, 20),
                      MakeAt(2, ChakraProtoMsg::COMP_NODE, 30, 20)};
    document.nodes[1].add_ctrl_deps(1);
    BeginLater(document, 300);
    CHECK(document.nodes[1].data_deps_size() == 0);
    REQUIRE(document.nodes[1].ctrl_deps_size() == 1);
    CHECK(document.nodes[1].ctrl_deps(0) == 0);
    CHECK(document.nodes[2].ctrl_deps_size() == 1);
}

TEST_CASE("The rank that begins first gets no wait", "[unit][trace-tools]")
{
    TraceDocument document;
    document.nodes = {MakeAt(1, ChakraProtoMsg::COMP_NODE, 5000, 20)};
    BeginLater(document, 0);
    REQUIRE(document.nodes.size() == 1);
    CHECK(GetStartNanos(document.nodes[0]) == 0);
    CHECK(document.nodes[0].data_deps_size() == 0);
}

TEST_CASE("Times that no clock has are cut", "[unit][trace-tools]")
{
    constexpr int64_t MOST = std::numeric_limits<int64_t>::max();
    TraceDocument document;
    document.nodes = {MakeAt(1, ChakraProtoMsg::COMP_NODE, 1, 20), MakeAllReduceAt(2, 1, 0)};
    document.nodes[1].set_start_time_micros(static_cast<uint64_t>(MOST));
    document.nodes[1].set_duration_micros(static_cast<uint64_t>(MOST));
    document.nodes[1].mutable_attr()->Clear();
    SetNumber(document.nodes[1], NodeAttribute::CollectiveType, ChakraProtoMsg::ALL_REDUCE);
    const auto first = FindFirstCollective(document);
    REQUIRE(first);
    CHECK(first->endNanos == (int64_t{1} << 62U) - 1);
    BeginLater(document, LATEST_BEGIN_NANOS);
    CHECK(GetStartNanos(document.nodes[2]) == (int64_t{1} << 61U) - 1 + LATEST_BEGIN_NANOS);
}
