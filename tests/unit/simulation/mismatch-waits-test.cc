// SPDX-License-Identifier: GPL-2.0-only
// What is told of the ranks that calls of others, which do not match, have stopped.
#include "tests/support/run-yaml.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/trace-bytes.h"

#include <catch2/catch.hpp>

#include <string>

using namespace nadi;
using namespace nadi::test;

TEST_CASE("A mismatch: ranks that could not go on any more wait for nobody", "[unit][simulation]")
{
    // Rank 1 calls the all-reduce without a size while rank 2 has not called it yet, and rank 3
    // computes.
    const ScratchDirectory scratch("mismatch-waits");
    const auto unsized = TraceNode(0, ChakraProtoMsg::COMM_COLL_NODE)
                             .Cpu(false)
                             .Int("comm_type", ChakraProtoMsg::ALL_REDUCE);
    scratch.Write("t.0.et", MakeTrace({AllReduce(0)}));
    scratch.Write("t.1.et", MakeTrace({unsized}));
    scratch.Write("t.2.et", MakeTrace({AllReduce(0)}));
    scratch.Write("t.3.et", MakeTrace({Kernel(0).Micros(5), AllReduce(1).Data(0)}));
    const RunResults results = RunYaml(
        {.yaml = "workload: {trace: '" + (scratch.Path() / "t.{rank}.et").string() +
                 "'}\n"
                 "network: {dimensions: [{shape: ring, size: 4, bandwidth: 100 Gb/s, latency: 1 "
                 "us}]}\n"});
    REQUIRE(results.waits);
    CHECK(results.exitReason ==
          "all-reduce #0 of communicator 0 {0..3}: rank 1 (node 0 \"node\") calls it with 0 B, "
          "rank 0 (node 0 \"node\") with 1024 B");
    REQUIRE(results.waits->ranks.size() == 4);
    for (const uint32_t rank : {2, 3})
    {
        CHECK(results.waits->ranks[rank].waitsFor ==
              "it waits for no rank; the calls that do not match ended the run before it was done");
    }
}
