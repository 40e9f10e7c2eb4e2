// SPDX-License-Identifier: GPL-2.0-only
#include "cli/terminal/input-summary.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>

using namespace nadi;
using namespace nadi::test;

TEST_CASE("Input summary: a cluster shows what each rank holds", "[unit][cli]")
{
    const ScratchDirectory scratch("serving-check");
    const RunInput input(
        scratch.Write("c.yaml",
                      "network: {dimensions: [{shape: switch, size: 12, bandwidth: 50 GB/s, "
                      "latency: 1 us}]}\n"
                      "system: {compute: {model: roofline, peak: 989 TFLOP/s, memory-bandwidth: "
                      "3.35 TB/s}}\n"
                      "workload:\n"
                      "  serve:\n"
                      "    model: {preset: mixtral-8x7b}\n"
                      "    requests: {rate: 5 /s}\n"
                      "    instances:\n"
                      "      - {tp: 8}\n"
                      "      - {role: attention, name: a, tp: 2}\n"
                      "      - {role: ffn, pair: a, ep: 2, memory: 160 GB}\n"),
        {});
    const std::string text = DescribeInput(input);
    // 93.4 GB of weights over eight ranks; the routers are on each of them.
    CHECK(text.find("instances   both0: ranks 0 to 7, weights of 10.9 GiB a rank, ") !=
          std::string::npos);
    CHECK(text.find("KV blocks of 16 tokens a replica") != std::string::npos);
    CHECK(text.find("attention1: ranks 8 to 9") != std::string::npos);
    CHECK(text.find("ffn2: ranks 10 to 11, weights of 42 GiB a rank\n") != std::string::npos);
    CHECK(text.find("over all ranks") == std::string::npos);
}
