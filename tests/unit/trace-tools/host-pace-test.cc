// SPDX-License-Identifier: GPL-2.0-only
#include "workload/document/host-pace.h"
#include "workload/document/node-attributes.h"

#include <catch2/catch.hpp>

#include <vector>

using namespace nadi;

namespace
{

/// A span of a recording, in microseconds.
struct Span
{
    int64_t start = 0;
    int64_t duration = 0;
};

constexpr int64_t NANOS = 1000;

ChakraProtoMsg::Node
MakeRecorded(uint64_t id, Span span, const std::vector<uint64_t>& dependencies)
{
    ChakraProtoMsg::Node node;
    node.set_id(id);
    node.set_type(ChakraProtoMsg::COMP_NODE);
    node.mutable_data_deps()->Add(dependencies.begin(), dependencies.end());
    SetStartNanos(node, span.start * NANOS);
    SetDurationNanos(node, span.duration * NANOS);
    return node;
}

ChakraProtoMsg::Node
MakeHost(uint64_t id, int64_t thread, Span span, const std::vector<uint64_t>& dependencies = {})
{
    ChakraProtoMsg::Node node = MakeRecorded(id, span, dependencies);
    SetBool(node, NodeAttribute::IsCpu, true);
    SetNumber(node, NodeAttribute::Thread, thread);
    return node;
}

std::vector<uint64_t>
DependenciesOf(const ChakraProtoMsg::Node& node)
{
    return {node.data_deps().begin(), node.data_deps().end()};
}

} // namespace

TEST_CASE("The time of a thread between two operations becomes a node", "[unit][trace-tools]")
{
    TraceDocument document;
    document.nodes = {MakeHost(1, 7, {0, 10}), MakeHost(2, 7, {30, 5})};
    CHECK(AddHostPace(document).gaps == 1);
    REQUIRE(document.nodes.size() == 3);
    const ChakraProtoMsg::Node& gap = document.nodes[2];
    CHECK(GetDurationNanos(gap) == 20 * NANOS);
    CHECK(ToInteger(GetAttribute(gap, NodeAttribute::Thread)) == 7);
    CHECK(DependenciesOf(gap) == std::vector<uint64_t>{1});
    CHECK(DependenciesOf(document.nodes[1]) == std::vector<uint64_t>{gap.id()});
}

TEST_CASE("A thread that waits for another one has no gap there", "[unit][trace-tools]")
{
    TraceDocument document;
    document.nodes = {MakeHost(1, 7, {0, 100}), MakeHost(2, 8, {100, 5}, {1})};
    CHECK(AddHostPace(document).gaps == 0);
}

TEST_CASE("The first operation of a later thread keeps its distance from the begin of the trace",
          "[unit][trace-tools]")
{
    TraceDocument document;
    document.nodes = {MakeHost(1, 7, {1000, 100}), MakeHost(2, 8, {1040, 5})};
    CHECK(AddHostPace(document).gaps == 1);
    CHECK(GetDurationNanos(document.nodes[2]) == 40 * NANOS);
}

TEST_CASE("Starts before the clock's zero are times like others", "[unit][trace-tools]")
{
    TraceDocument document;
    document.nodes = {MakeHost(1, 7, {-1000, 100}), MakeHost(2, 8, {-960, 5})};
    const HostPace pace = AddHostPace(document);
    CHECK(pace.gaps == 1);
    CHECK(pace.waits == 0);
    CHECK(GetStartNanos(document.nodes[2]) == -1000 * NANOS);
    CHECK(GetDurationNanos(document.nodes[2]) == 40 * NANOS);
}

TEST_CASE("What an operation does after others within it becomes a gap", "[unit][trace-tools]")
{
    // 1 lasts from 0 to 30. It works for 5, then 2 for 20, and then it works for 5 again.
    TraceDocument document;
    document.nodes = {MakeHost(1, 7, {0, 10}), MakeHost(2, 7, {5, 20}), MakeHost(3, 7, {30, 1})};
    CHECK(AddHostPace(document).gaps == 1);
    CHECK(GetDurationNanos(document.nodes[0]) == 5 * NANOS);
    CHECK(GetDurationNanos(document.nodes[3]) == 5 * NANOS);
}

TEST_CASE("An operation ends where one on another thread that works for it starts",
          "[unit][trace-tools]")
{
    TraceDocument document;
    document.nodes = {MakeHost(1, 7, {0, 100}), MakeHost(2, 8, {10, 80}, {1})};
    CHECK(AddHostPace(document).gaps == 0);
    CHECK(GetDurationNanos(document.nodes[0]) == 10 * NANOS);
}

TEST_CASE("Nobody waits for what is launched after what it waits for", "[unit][trace-tools]")
{
    // 1 launches 5 at its end, after 2, which launches 4; 3 starts while only 4 can have run.
    TraceDocument document;
    document.nodes = {MakeHost(1, 7, {0, 500}),
                      MakeHost(2, 7, {10, 200}),
                      MakeHost(3, 7, {210, 300}),
                      MakeRecorded(4, {20, 400}, {3}),
                      MakeRecorded(5, {420, 80}, {1, 4})};
    CHECK(AddHostPace(document).waits == 0);
}

TEST_CASE("A gap in which all launched work ends is a wait for it", "[unit][trace-tools]")
{
    TraceDocument document;
    document.nodes = {MakeHost(1, 7, {0, 10}),
                      MakeRecorded(2, {10, 490}, {1}), // ends at 500
                      MakeHost(3, 7, {520, 5})};
    CHECK(AddHostPace(document).waits == 1);
    const ChakraProtoMsg::Node& gap = document.nodes[3];
    CHECK(GetDurationNanos(gap) == 20 * NANOS);
    CHECK(DependenciesOf(gap) == std::vector<uint64_t>{1, 2});
}

TEST_CASE("An operation in which all launched work ends waits for it", "[unit][trace-tools]")
{
    TraceDocument document;
    document.nodes = {MakeHost(1, 7, {0, 10}),
                      MakeRecorded(2, {10, 490}, {1}),
                      MakeHost(3, 7, {10, 505})}; // until 515
    CHECK(AddHostPace(document).waits == 1);
    CHECK(GetDurationNanos(document.nodes[2]) == 15 * NANOS);
    CHECK(DependenciesOf(document.nodes[2]) == std::vector<uint64_t>{2});
}

TEST_CASE("Work of which the recording lacks the launch can be waited for", "[unit][trace-tools]")
{
    TraceDocument document;
    document.nodes = {
        MakeRecorded(1, {0, 500}, {}), MakeHost(2, 7, {0, 10}), MakeHost(3, 7, {520, 5})};
    CHECK(AddHostPace(document).waits == 1);
    CHECK(DependenciesOf(document.nodes[3]) == std::vector<uint64_t>{2, 1});
}

TEST_CASE("Work that goes on after an operation was not waited for", "[unit][trace-tools]")
{
    TraceDocument document;
    document.nodes = {
        MakeHost(1, 7, {0, 10}), MakeRecorded(2, {10, 2000}, {1}), MakeHost(3, 7, {10, 505})};
    CHECK(AddHostPace(document).waits == 0);
    CHECK(GetDurationNanos(document.nodes[2]) == 505 * NANOS);
}

TEST_CASE("Operations without a recorded start are left alone, whenever the clock begins",
          "[unit][trace-tools]")
{
    constexpr int64_t OF_2026 = 1'770'000'000'000'000; // in microseconds
    TraceDocument document;
    document.nodes = {MakeHost(1, 7, {0, 10}),
                      MakeHost(2, 7, {OF_2026, 10}),
                      MakeHost(3, 7, {OF_2026 + 30, 10}),
                      MakeHost(4, 8, {OF_2026 + 5, 10})};
    CHECK(AddHostPace(document).gaps == 2);
    REQUIRE(document.nodes.size() == 6);
    CHECK(DependenciesOf(document.nodes[0]).empty());
    CHECK(DependenciesOf(document.nodes[1]).empty());
    CHECK(GetDurationNanos(document.nodes[4]) == 5 * NANOS);
    CHECK(GetDurationNanos(document.nodes[5]) == 20 * NANOS);
}
