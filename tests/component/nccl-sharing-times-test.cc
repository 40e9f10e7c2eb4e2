// SPDX-License-Identifier: GPL-2.0-only
// Do calls of NVLS that run at the same time share what they stand for, the port of a GPU into its
// node?
#include "tests/support/run-yaml.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace nadi;

namespace
{

constexpr double MIB = 1024 * 1024;

// 8 GPUs with links of 100 GB/s, of which NVLS gets half: 64 MiB are 8 loops of 8 MiB.
constexpr double RATE = 50e3;                               ///< bytes in a us
constexpr double LARGE_DATA = 64 * MIB / RATE;              ///< us
constexpr double LOOP_DATA = LARGE_DATA / 8;                ///< us
constexpr double LOOP_WAIT = 4;                             ///< us
constexpr double FILL = LOOP_WAIT + LOOP_DATA;              ///< us, of a large call
constexpr double ALONE = FILL + 8 * LOOP_WAIT + LARGE_DATA; ///< us, of a large call

RunResults
RunTogether(const std::string& calls)
{
    return RunYaml({fmt::format(
        "workload: {{collective: {{parallel: [{}]}}}}\n"
        "system: {{library: {{name: nccl, algorithm: nvls, launch-floor: 0 us, nvls-base: 0 us,\n"
        "  nvls-channel: 0 us, nvls-loop: 4 us, nvls-rate: 0.5, nvls-fill: 2}}}}\n"
        "network:\n"
        "  backend: flow\n"
        "  topology: {{generator: nodes, nodes: 1, npus-per-node: 8, leaves: 1, spines: 0,\n"
        "    nvlink: {{bandwidth: 100 GB/s, latency: 100 ns}},\n"
        "    nic: {{bandwidth: 10 GB/s, latency: 500 ns}}}}\n",
        calls)});
}

std::string
AllReduceOf(const std::string& size)
{
    return "{type: all-reduce, size: " + size + "}";
}

} // namespace

TEST_CASE("nccl: several calls of NVLS on a node take as long as their data one after the other",
          "[component][nccl]")
{
    std::string calls;
    for (int count = 1; count <= 4; ++count)
    {
        calls += (count == 1 ? "" : ", ") + AllReduceOf("64 MiB");
        const double us = RunTogether(calls).finish.Ns() / 1000;
        CAPTURE(count);
        CHECK(us >= FILL + count * LARGE_DATA);
        CHECK(us <= ALONE + (count - 1) * LARGE_DATA * (1 + 1e-6));
    }
}

TEST_CASE("nccl: a small call of NVLS waits for a loop of a large one, not for its end",
          "[component][nccl]")
{
    const RunResults both = RunTogether(AllReduceOf("64 MiB") + ", " + AllReduceOf("64 KiB"));
    double small = 0;
    for (const CollectiveResult& one : both.collectives)
    {
        if (one.record.size == Bytes(64 * 1024))
        {
            small = (one.record.end - one.record.begin).Ns() / 1000;
        }
    }
    // Its own data take 1.3 us. The large call fills its pipeline first, so nothing is in the way.
    CHECK(small > 0);
    CHECK(small <= 2 * (LOOP_WAIT + 1.4) + LOOP_DATA);
}

TEST_CASE("nccl: calls of NVLS one after the other do not wait for each other's ports",
          "[component][nccl]")
{
    const std::string one = AllReduceOf("64 MiB");
    const double alone = RunTogether(one).finish.Ns() / 1000;
    CHECK(alone == Approx(ALONE).epsilon(1e-9));
}
