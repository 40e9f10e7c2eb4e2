// SPDX-License-Identifier: GPL-2.0-only
// Which algorithms `nadi synthesize` writes as programs, and which it refuses.
#include "simulation/synthesis-job.h"
#include "tests/support/config-error-text.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>

#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// Writes the collective on 16 NPUs of a switch with the algorithm.
MadeProgram
MakeOnSwitch(const std::string& type, const std::string& algorithm)
{
    const ScratchDirectory scratch("synthesis-job");
    const RunInput input(
        scratch.Write("c.yaml",
                      "workload: {collective: {type: " + type +
                          ", size: 64 KiB}}\n"
                          "system: {collectives: {" +
                          type + ": {flat: " + algorithm +
                          "}}}\n"
                          "network: {dimensions: [{shape: switch, size: 16, bandwidth: 50 GB/s, "
                          "latency: 500 ns}]}\n"),
        {});
    return MakeJobProgram(input);
}

} // namespace

TEST_CASE("MakeJobProgram: an algorithm that waits for deliveries is refused, as a program cannot",
          "[unit][simulation]")
{
    // In a broadcast a member serves its children one after the other. A reduce is that reversed:
    // its members receive one after the other, which programs do anyway.
    CHECK(ConfigErrorText([] { MakeOnSwitch("broadcast", "halving-doubling"); }) ==
          "system.collectives: broadcast of halving-doubling cannot be written as a program: a "
          "rank sends to one peer after the other there, each time once the message before was "
          "delivered, which no program says; write another algorithm, such as synthesized");
    CHECK(MakeOnSwitch("reduce", "halving-doubling").isProven);
    CHECK(MakeOnSwitch("broadcast", "double-binary-tree").isProven);
    CHECK(MakeOnSwitch("broadcast", "direct").isProven);
    CHECK(MakeOnSwitch("all-reduce", "halving-doubling").isProven);
}
