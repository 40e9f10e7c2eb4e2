// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/notes/group-programs.h"
#include "simulation/simulate.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace nadi;

namespace
{

std::vector<std::string>
FindGroupSentences(const std::string& algorithm, const std::string& packet)
{
    const test::ScratchDirectory scratch("group-programs");
    const RunInput input(
        scratch.Write("c.yaml",
                      "workload: {collective: {type: all-gather, size: 64 KiB}}\n"
                      "system: {collectives: {all-gather: " +
                          algorithm +
                          "}}\n"
                          "network:\n"
                          "  dimensions: [{shape: ring, size: 6, bandwidth: 50 GB/s, latency: 1 "
                          "us}]\n"
                          "  packet: {" +
                          packet + "}\n"),
        {});
    return FindGroupProgramNotes(input, Simulate(input)).sentences;
}

} // namespace

TEST_CASE("FindGroupProgramNotes: a fixed window, which synthesis does not know, is told",
          "[unit][simulation]")
{
    CHECK(FindGroupSentences("synthesized", "window: 8 KiB") ==
          std::vector<std::string>{
              "synthesised programs are planned as if there were no window; where "
              "network.packet.window (8 KiB) is full before the first answer, they take longer "
              "than was predicted, and others may be faster: compare with direct"});
    CHECK(FindGroupSentences("synthesized", "window: bdp").empty());
    CHECK(FindGroupSentences("ring", "window: 8 KiB").empty());
}
