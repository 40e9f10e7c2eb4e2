// SPDX-License-Identifier: GPL-2.0-only
// Which memory a node accesses that says none.
#include "tests/support/parse-trace.h"
#include "tests/support/scratch-directory.h"
#include "workload/trace-writer.h"
#include "workload/trace/trace-set.h"

#include <catch2/catch.hpp>

using namespace nadi;
using namespace nadi::test;

namespace
{

TraceFile
ParseLoad(const TraceNode& load, MemoryLocation defaultLocation)
{
    const TraceReading reading{DependencyPolicy::Auto, ThrowProblems(), defaultLocation};
    return ParseTrace(MakeTrace({load}), "test.et", reading);
}

ExecutionNode
ReadLoad(const TraceNode& load, MemoryLocation defaultLocation)
{
    return ParseLoad(load, defaultLocation).graph.Node(0);
}

TraceNode
MakeLoad()
{
    return TraceNode(1, ChakraProtoMsg::MEM_LOAD_NODE).Int("tensor_size", 640);
}

} // namespace

TEST_CASE("Memory nodes: the default location is of those that say neither location nor tier",
          "[unit][workload]")
{
    using enum MemoryLocation;
    for (const TraceNode& open : {MakeLoad(), MakeLoad().Int("tensor_loc", 0)})
    {
        CHECK_FALSE(ReadLoad(open, Local).isRemote);
        CHECK(ReadLoad(open, Remote).isRemote);
    }
    for (const MemoryLocation location : {Local, Remote})
    {
        CHECK_FALSE(ReadLoad(MakeLoad().Int("tensor_loc", 1), location).isRemote);
        CHECK(ReadLoad(MakeLoad().Int("tensor_loc", 2), location).isRemote);
        CHECK_FALSE(ReadLoad(MakeLoad().Text("src_tier", "G1"), location).isRemote);
        CHECK(ReadLoad(MakeLoad().Text("src_tier", "G2"), location).isRemote);
    }
}

TEST_CASE("Memory nodes: what is written again leaves open what was open, and nothing else",
          "[unit][workload]")
{
    using enum MemoryLocation;
    const TraceNode local = MakeLoad().Int("tensor_loc", 1);
    const TraceNode remote = MakeLoad().Text("src_tier", "G2");
    for (const TraceNode& load : {MakeLoad(), local, remote})
    {
        for (const MemoryLocation before : {Local, Remote})
        {
            const std::string written = FormatTrace(ParseLoad(load, before).graph);
            for (const MemoryLocation after : {Local, Remote})
            {
                const TraceReading reading{DependencyPolicy::Auto, ThrowProblems(), after};
                const ExecutionNode again = ParseTrace(written, "again.et", reading).graph.Node(0);
                CHECK(again.isRemote == ReadLoad(load, after).isRemote);
            }
        }
    }
}

TEST_CASE("Memory nodes: a node that is remote by default may be an access of a group",
          "[unit][workload]")
{
    const TraceNode load = MakeLoad().Text("pg_name", "tp");
    CHECK(ReadLoad(load, MemoryLocation::Remote).isOfGroup);
    CHECK_FALSE(ReadLoad(load, MemoryLocation::Local).isOfGroup);
}

TEST_CASE("ReadTraces: the default location holds for the memory nodes of a job",
          "[unit][workload]")
{
    const ScratchDirectory scratch("memory-location");
    const std::string file = scratch.Write("x.0.et", MakeTrace({MakeLoad()})).string();
    const auto isRemote = [&file](MemoryLocation location)
    {
        TraceOptions options;
        options.pattern = file;
        options.defaultLocation = location;
        return ReadTraces(options).graphs.front().Node(0).isRemote;
    };
    CHECK(isRemote(MemoryLocation::Remote));
    CHECK_FALSE(isRemote(MemoryLocation::Local));
}
