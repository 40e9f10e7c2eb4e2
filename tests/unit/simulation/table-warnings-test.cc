// SPDX-License-Identifier: GPL-2.0-only
// Warnings on a table of kernels that does not time what runs.
#include "simulation/notes/table-warnings.h"
#include "simulation/simulate.h"
#include "tests/support/run-notes.h"
#include "tests/support/scratch-directory.h"
#include "workload/execution-graph-builder.h"
#include "workload/trace-writer.h"

#include <catch2/catch.hpp>

#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// A training job of one layer in bf16: four products, each with two gradients, the core of the
/// attention forward and backward, and the optimizer.
const std::string TRAINING =
    "workload:\n"
    "  generate: {model: transformer, layers: 1, hidden: 64, heads: 8, sequence: 16, batch: 1, "
    "vocabulary: 0, dp: 1}\n"
    "  ranks: 1\n";

const std::string SERVING =
    "workload:\n"
    "  serve:\n"
    "    model: {layers: 1, hidden: 64, heads: 8, vocabulary: 0}\n"
    "    requests: {arrivals: closed, users: 1, count: 1, input: 100, output: 1}\n"
    "    instances: [{tp: 1}]\n";

Sentences
TableWarningsOf(const std::string& table, const std::string& workload = TRAINING)
{
    const ScratchDirectory scratch("table-warnings");
    scratch.Write("k.csv", table);
    const RunInput input(
        scratch.Write("c.yaml",
                      workload +
                          "system: {compute: {model: roofline, peak: 1 TFLOP/s, "
                          "memory-bandwidth: 1 TB/s, kernels: k.csv, outside: roofline}}\n"
                          "network: {backend: analytical, dimensions: [{shape: switch, size: 1, "
                          "bandwidth: 1 GB/s, latency: 1 us}]}\n"),
        {});
    const RunResults results = Simulate(input);
    CHECK(results.warnings == FindTableWarnings(input, results));
    return results.warnings;
}

} // namespace

TEST_CASE("FindTableWarnings: a table of another type times nothing", "[unit][simulation]")
{
    CHECK(TableWarningsOf("op,dtype,m,us\ngemm,fp16,1,1\ngemm,fp16,1000,2\n") ==
          Sentences{"k.csv timed none of 15 kernels; system.compute.kernels had no effect. One of "
                    "them is gemm bf16 tp=1 k=64 n=192 m=16 bytes=32768 operations=393216: it has "
                    "no rows for gemm of bf16"});
}

TEST_CASE("FindTableWarnings: a table whose sizes are all elsewhere times nothing",
          "[unit][simulation]")
{
    // The example is of an op that the table has, though the products come first.
    CHECK(TableWarningsOf("op,dtype,m,us\nattention-forward,bf16,100,1\n") ==
          Sentences{"k.csv timed none of 15 kernels; system.compute.kernels had no effect. One of "
                    "them is attention-forward bf16 tp=1 k=8 n=8 batch=1 context=16 m=16 "
                    "bytes=8192 operations=65536: there its rows for attention-forward of bf16 "
                    "have m from 100 to 100"});
}

TEST_CASE("FindTableWarnings: counts the kernels of a kind that rows do not surround",
          "[unit][simulation]")
{
    // Rows of 16 tokens: forward and the gradients of inputs. Of the gradients of weights, the
    // product of the MLP that comes out of 256 has m = 256, the others have 64.
    CHECK(TableWarningsOf("op,dtype,m,us\ngemm,bf16,16,1\ngemm,bf16,64,2\n") ==
          Sentences{"k.csv timed 11 of 12 kernels (gemm bf16), and the roofline the others. One of "
                    "them is gemm bf16 tp=1 k=16 n=64 m=256 bytes=43008 operations=524288: there "
                    "its rows for gemm of bf16 have m from 16 to 64"});
}

TEST_CASE("FindTableWarnings: kinds of kernels that nobody measured need no warning",
          "[unit][simulation]")
{
    CHECK(TableWarningsOf("op,us\ngemm,1\n").empty());
    CHECK(TableWarningsOf("op,us\ngemm,1\n", SERVING).empty());
}

TEST_CASE("FindTableWarnings: a cluster that serves has them, too", "[unit][simulation]")
{
    const Sentences warnings = TableWarningsOf("op,dtype,us\ngemm,fp16,1\n", SERVING);
    REQUIRE(warnings.size() == 1);
    CHECK(warnings.front().find("k.csv timed none of ") == 0);
}

TEST_CASE("FindTableWarnings: nodes that name no kernels leave a table idle", "[unit][simulation]")
{
    ExecutionGraphBuilder builder("one rank");
    ExecutionNode node{.id = 1, .operations = 1000};
    node.type = NodeType::Compute;
    builder.AddNode(node, "kernel");
    const ScratchDirectory scratch("table-warnings-trace");
    WriteTrace(builder.Build(), (scratch.Path() / "t.0.et").string());
    CHECK(TableWarningsOf("op,us\ngemm,1\n",
                          "workload: {trace: '" + scratch.Path().string() + "/t.{rank}.et'}\n") ==
          Sentences{"k.csv timed nothing, as no compute node names its kernels; "
                    "system.compute.kernels had no effect"});
}
