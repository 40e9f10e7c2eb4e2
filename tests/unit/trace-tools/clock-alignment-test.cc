// SPDX-License-Identifier: GPL-2.0-only
#include "workload/document/clock-alignment.h"
#include "workload/document/node-attributes.h"

#include <catch2/catch.hpp>

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
    CHECK(first->call == "ALL_REDUCE of group 0");
}

TEST_CASE("A recording without collectives has no first one", "[unit][trace-tools]")
{
    TraceDocument document;
    CHECK_FALSE(FindFirstCollective(document));
    document.nodes = {MakeAt(1, ChakraProtoMsg::COMP_NODE, 5000, 20)};
    CHECK_FALSE(FindFirstCollective(document));
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
    const ChakraProtoMsg::Node& wait = document.nodes[3];
    CHECK(wait.id() == 8);
    CHECK(GetStartNanos(wait) == 0);
    CHECK(GetDurationNanos(wait) == 300);
    CHECK(ToInteger(GetAttribute(wait, NodeAttribute::Thread)) == 11);
    CHECK(document.nodes[0].data_deps(0) == 8);
    REQUIRE(document.nodes[1].data_deps_size() == 1);
    CHECK(document.nodes[1].data_deps(0) == 1);
    CHECK(document.nodes[2].data_deps(0) == 8);
    CHECK(GetStartNanos(document.nodes[1]) == 320);
}

TEST_CASE("Where a trace has control dependencies alone, the wait is one", "[unit][trace-tools]")
{
    TraceDocument document;
    document.nodes = {MakeAt(1, ChakraProtoMsg::COMP_NODE, 0, 20),
                      MakeAt(2, ChakraProtoMsg::COMP_NODE, 20, 20)};
    document.nodes[1].add_ctrl_deps(1);
    BeginLater(document, 300);
    CHECK(document.nodes[0].data_deps_size() == 0);
    CHECK(document.nodes[0].ctrl_deps(0) == 3);
    CHECK(document.nodes[1].ctrl_deps_size() == 1);
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
    document.nodes = {MakeAt(1, ChakraProtoMsg::COMP_NODE, 0, 20), MakeAllReduceAt(2, 0, 0)};
    document.nodes[1].set_start_time_micros(static_cast<uint64_t>(MOST));
    document.nodes[1].set_duration_micros(static_cast<uint64_t>(MOST));
    const auto first = FindFirstCollective(document);
    REQUIRE(first);
    CHECK(first->endNanos == int64_t{1} << 62U);
    BeginLater(document, LATEST_BEGIN_NANOS);
    CHECK(GetStartNanos(document.nodes[1]) == (int64_t{1} << 61U) + LATEST_BEGIN_NANOS);
}
