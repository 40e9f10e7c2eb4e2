// SPDX-License-Identifier: GPL-2.0-only
#include "workload/document/node-attributes.h"
#include "workload/document/stream-waits.h"

#include <catch2/catch.hpp>

#include <vector>

using namespace nadi;

namespace
{

constexpr int64_t MICRO = 1000;

/// Work on a stream. Times are in microseconds.
ChakraProtoMsg::Node
MakeWork(uint64_t id,
         int64_t stream,
         int64_t start,
         int64_t duration,
         const std::vector<uint64_t>& dependencies = {})
{
    ChakraProtoMsg::Node node;
    node.set_id(id);
    node.set_type(ChakraProtoMsg::COMP_NODE);
    node.mutable_data_deps()->Add(dependencies.begin(), dependencies.end());
    SetStartNanos(node, start * MICRO);
    SetDurationNanos(node, duration * MICRO);
    SetBool(node, NodeAttribute::IsCpu, false);
    SetNumber(node, NodeAttribute::Stream, stream);
    return node;
}

/// A kernel from 0 to 10, an all-reduce on another stream, and a kernel that starts at `start` and
/// depends on the first one. Returns what the last one depends on afterwards.
std::vector<uint64_t>
WaitsAfter(int64_t endOfAllReduce, int64_t start)
{
    TraceDocument document;
    document.nodes = {MakeWork(1, 7, 0, 10),
                      MakeWork(2, 24, 20, endOfAllReduce - 20),
                      MakeWork(3, 7, start, 5, {1})};
    AddStreamWaits(document);
    const auto& dependencies = document.nodes[2].data_deps();
    return {dependencies.begin(), dependencies.end()};
}

} // namespace

TEST_CASE("A stream that goes on when work on another one has ended waited for it",
          "[unit][trace-tools]")
{
    CHECK(WaitsAfter(500, 502) == std::vector<uint64_t>{1, 2});
    CHECK(WaitsAfter(500, 510) == std::vector<uint64_t>{1, 2});
}

TEST_CASE("A stream that goes on later, earlier or at once has not waited", "[unit][trace-tools]")
{
    CHECK(WaitsAfter(500, 511) == std::vector<uint64_t>{1});
    CHECK(WaitsAfter(500, 499) == std::vector<uint64_t>{1});
    CHECK(WaitsAfter(59, 60) == std::vector<uint64_t>{1}); // 50 us after what it depends on
    CHECK(WaitsAfter(60, 61) == std::vector<uint64_t>{1, 2});
}

TEST_CASE("Of work that ended just before, what ended last was waited for", "[unit][trace-tools]")
{
    TraceDocument document;
    document.nodes = {MakeWork(1, 7, 0, 10),
                      MakeWork(2, 24, 0, 498),
                      MakeWork(3, 25, 0, 499),
                      MakeWork(4, 7, 10, 20, {1}),
                      MakeWork(5, 7, 500, 5, {1})};
    CHECK(AddStreamWaits(document) == 1);
    CHECK(document.nodes[4].data_deps(1) == 3);
}

TEST_CASE("Two that take no time do not wait for each other", "[unit][trace-tools]")
{
    TraceDocument document;
    document.nodes = {MakeWork(1, 7, 0, 10),
                      MakeWork(2, 8, 0, 10),
                      MakeWork(3, 7, 500, 0, {1}),
                      MakeWork(4, 8, 500, 0, {2})};
    CHECK(AddStreamWaits(document) == 0);
}

TEST_CASE("What queued behind its own stream waited for nothing else", "[unit][trace-tools]")
{
    TraceDocument document; // the second of stream 7 does not depend on the first
    document.nodes = {MakeWork(1, 24, 0, 495), MakeWork(2, 7, 0, 499), MakeWork(3, 7, 500, 5)};
    CHECK(AddStreamWaits(document) == 0);
    document.nodes[1] = MakeWork(2, 7, 0, 10);
    CHECK(AddStreamWaits(document) == 1);
}

TEST_CASE("The first work of a stream whose dependencies are unknown is left alone",
          "[unit][trace-tools]")
{
    TraceDocument document;
    document.nodes = {MakeWork(1, 24, 0, 500), MakeWork(2, 7, 501, 5), MakeWork(3, 8, 501, 5, {9})};
    CHECK(AddStreamWaits(document) == 0);
}
