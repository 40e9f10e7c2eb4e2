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
    const auto has = [&](const std::string& part) { return text.find(part) != std::string::npos; };
    // 93.4 GB of weights over eight ranks; the routers are on each of them.
    CHECK(has("instances   both0: ranks 0 to 7, "));
    CHECK(
        has("KV blocks of 16 tokens a replica\n              a rank holds 10.9 GiB of weights, "));
    CHECK(has("attention1: ranks 8 to 9"));
    // Of 2048 tokens of one replica, half of the 4096 copies: h of 4096 there and back, and inside
    // two vectors of 14336, of 2 B each: 2048 x (8192 + 28672) x 2 B.
    CHECK(has("ffn2: ranks 10 to 11\n              a rank holds 42 GiB of weights, 144 MiB of "
              "activations, 42.1 GiB in all; it has 149 GiB\n"));
    CHECK(text.find("over all ranks") == std::string::npos);
}
