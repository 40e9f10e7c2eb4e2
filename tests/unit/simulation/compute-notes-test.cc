// SPDX-License-Identifier: GPL-2.0-only
// Notes on compute nodes whose times are not what a user may think.
#include "simulation/run-input.h"
#include "tests/support/run-notes.h"
#include "tests/support/scratch-directory.h"
#include "workload/execution-graph-builder.h"
#include "workload/trace-writer.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

constexpr int64_t US = 1'000'000; // in picoseconds

/// The notes on a job of one rank, alone on its network.
Sentences
NotesOfNodes(const std::vector<ExecutionNode>& nodes, const std::string& compute)
{
    const ScratchDirectory scratch("compute-notes");
    ExecutionGraphBuilder builder("one rank");
    for (ExecutionNode node : nodes)
    {
        node.type = NodeType::Compute;
        builder.AddNode(node, "kernel");
    }
    WriteTrace(builder.Build(), (scratch.Path() / "t.0.et").string());
    const auto file = scratch.Write(
        "c.yaml",
        "workload: {trace: 't.{rank}.et'}\n"
        "system: {compute: {" +
            compute +
            "}}\n"
            "network: {dimensions: [{shape: ring, size: 1, bandwidth: 1 GB/s, latency: 1 us}]}\n");
    return RunInput(file, {}).Notes();
}

const std::string ROOFLINE = "model: roofline, peak: 100 TFLOP/s, memory-bandwidth: 2 TB/s";

} // namespace

TEST_CASE("FindInputNotes: a roofline leaves nodes that count nothing their durations",
          "[unit][simulation]")
{
    const ExecutionNode recorded{.id = 1, .durationPs = 5 * US};
    const ExecutionNode another{.id = 2, .durationPs = 7 * US};
    CHECK(NotesOfNodes({recorded}, ROOFLINE) ==
          Sentences{"1 compute node of the traces has neither operations nor bytes: "
                    "system.compute.model roofline leaves it the recorded duration, which "
                    "system.compute.scale can change"});
    CHECK(NotesOfNodes({recorded, another}, ROOFLINE) ==
          Sentences{"2 compute nodes of the traces have neither operations nor bytes: "
                    "system.compute.model roofline leaves them the recorded duration, which "
                    "system.compute.scale can change"});
    CHECK(NotesOfNodes({recorded}, "scale: 2").empty());
}

TEST_CASE("FindInputNotes: nodes that a roofline times need no note", "[unit][simulation]")
{
    const ExecutionNode counted{.id = 1, .durationPs = 5 * US, .operations = 1000};
    const ExecutionNode moving{.id = 2, .durationPs = 5 * US, .size = 1000};
    const ExecutionNode ofHost{.id = 3, .durationPs = 5 * US, .isCpu = true};
    const ExecutionNode empty{.id = 4};
    CHECK(NotesOfNodes({counted, moving, ofHost, empty}, ROOFLINE).empty());
}

TEST_CASE("FindInputNotes: without a roofline, nodes that count operations alone take no time",
          "[unit][simulation]")
{
    const ExecutionNode counted{.id = 1, .operations = 1000};
    const ExecutionNode recorded{.id = 2, .durationPs = 5 * US, .operations = 1000};
    CHECK(NotesOfNodes({counted, recorded}, "scale: 1") ==
          Sentences{"1 compute node of the traces has operations but no duration, and takes no "
                    "time; write system.compute: {model: roofline, ...} to time it"});
    CHECK(NotesOfNodes({recorded}, "scale: 1").empty());
}

TEST_CASE("FindInputNotes: nodes without names of kernels are of the kind other",
          "[unit][simulation]")
{
    const ExecutionNode nameless{.id = 1, .operations = 1000};
    CHECK(NotesOfNodes({nameless}, ROOFLINE).empty());
    CHECK(NotesOfNodes({nameless}, ROOFLINE + ", efficiency: {gemm: 0.5}") ==
          Sentences{"1 compute node of the traces names no kernel: "
                    "system.compute.efficiency.other holds there, and no table has a time; give "
                    "such nodes the attribute kernels"});
}
