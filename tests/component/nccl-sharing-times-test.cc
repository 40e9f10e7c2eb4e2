// SPDX-License-Identifier: GPL-2.0-only
// Do calls of NVLS that run at the same time share what they stand for, the port of a GPU into its
// node?
#include "tests/support/run-yaml.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace nadi;

namespace
{

constexpr double NVLS_MIB = 1024 * 1024;

// 8 GPUs with links of 100 GB/s, of which NVLS gets half: 64 MiB are 8 loops of 8 MiB.
constexpr double NVLS_RATE = 50e3;                            ///< bytes in a us
constexpr double LARGE_NVLS_DATA = 64 * NVLS_MIB / NVLS_RATE; ///< us
constexpr double NVLS_LOOP_DATA = LARGE_NVLS_DATA / 8;        ///< us
constexpr double NVLS_LOOP_WAIT = 4;                          ///< us
constexpr double NVLS_FILL = NVLS_LOOP_WAIT + NVLS_LOOP_DATA; ///< us, of a large call
constexpr double NVLS_ALONE =
    NVLS_FILL + 8 * NVLS_LOOP_WAIT + LARGE_NVLS_DATA; ///< us, of a large call

RunResults
RunNvlsTogether(const std::string& calls)
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
NvlsCallOf(const std::string& size)
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
        calls += (count == 1 ? "" : ", ") + NvlsCallOf("64 MiB");
        const double us = RunNvlsTogether(calls).finish.Ns() / 1000;
        CAPTURE(count);
        CHECK(us >= NVLS_FILL + count * LARGE_NVLS_DATA);
        CHECK(us <= NVLS_ALONE + (count - 1) * LARGE_NVLS_DATA * (1 + 1e-6));
    }
}

TEST_CASE("nccl: a small call of NVLS waits for a loop of a large one, not for its end",
          "[component][nccl]")
{
    const RunResults both = RunNvlsTogether(NvlsCallOf("64 MiB") + ", " + NvlsCallOf("64 KiB"));
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
    CHECK(small <= 2 * (NVLS_LOOP_WAIT + 1.4) + NVLS_LOOP_DATA);
}

TEST_CASE("nccl: calls of NVLS one after the other do not wait for each other's ports",
          "[component][nccl]")
{
    const std::string one = NvlsCallOf("64 MiB");
    const double alone = RunNvlsTogether(one).finish.Ns() / 1000;
    CHECK(alone == Approx(NVLS_ALONE).epsilon(1e-9));
}
