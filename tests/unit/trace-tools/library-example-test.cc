// SPDX-License-Identifier: GPL-2.0-only
// The example of docs/traces.md for those who feed traces to a simulator of their own.
#include "tests/support/contains.h"
#include "tests/support/recorded-traces.h"
#include "tests/support/scratch-directory.h"
#include "workload/trace-feeder.h"

#include <catch2/catch.hpp>

#include <map>
#include <optional>
#include <vector>

namespace nadi::test
{

namespace
{

// Begin of the example.
std::vector<uint64_t>
RunRank(const ExecutionGraph& graph)
{
    TraceFeeder feeder(graph);
    std::vector<uint64_t> order;
    while (const std::optional<uint32_t> node = feeder.TakeReady())
    {
        order.push_back(graph.Node(*node).id); // a simulator would start graph.Node(*node) here,
        feeder.Complete(*node);                // and call this at the time when it is done
    }
    return order;
}

// End of the example.

} // namespace

TEST_CASE("The example of the library runs every node once, after those that it waits for",
          "[unit][trace-tools]")
{
    for (const RecordedJob& recorded : SampleJobs())
    {
        CAPTURE(recorded.pattern);
        const Workload job = ReadRecordedJob(recorded);
        const ExecutionGraph& graph = job.GraphOf(RankId{0});
        std::map<uint64_t, size_t> places; // by id
        for (const uint64_t id : RunRank(graph))
        {
            places.emplace(id, places.size());
        }
        REQUIRE(places.size() == graph.NodeCount());
        for (uint32_t node = 0; node < graph.NodeCount(); ++node)
        {
            for (const uint32_t child : graph.Children(node))
            {
                CHECK(places.at(graph.Node(node).id) < places.at(graph.Node(child).id));
            }
        }
    }
}

TEST_CASE("The example of the library stands in the documentation as it is tested",
          "[unit][trace-tools]")
{
    const std::string top = SOURCE_DIR;
    const std::string source =
        ReadWholeFile(top + "/tests/unit/trace-tools/library-example-test.cc");
    const std::string begin = "// Begin of the example.\n";
    const size_t first = source.find(begin) + begin.size();
    const size_t last = source.find("\n// End of the example.");
    REQUIRE(last < source.size());
    CHECK(Contains(ReadWholeFile(top + "/docs/traces.md"),
                   "```cpp\n" + source.substr(first, last - first) + "```\n"));
}

} // namespace nadi::test
