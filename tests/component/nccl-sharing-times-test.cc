// SPDX-License-Identifier: GPL-2.0-only
// Do calls of NVLS that run at the same time share what they stand for, the port of a GPU into its
// node?
#include "tests/support/run-yaml.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/trace-bytes.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

using namespace nadi;
using namespace nadi::test;

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
RunNvlsJob(const std::string& workload)
{
    return RunYaml({fmt::format(
        "workload: {{{}}}\n"
        "system: {{library: {{name: nccl, algorithm: nvls, launch-floor: 0 us, nvls-base: 0 us,\n"
        "  nvls-channel: 0 us, nvls-loop: 4 us, nvls-rate: 0.5, nvls-fill: 2}}}}\n"
        "network:\n"
        "  backend: flow\n"
        "  topology: {{generator: nodes, nodes: 1, npus-per-node: 8, leaves: 1, spines: 0,\n"
        "    nvlink: {{bandwidth: 100 GB/s, latency: 100 ns}},\n"
        "    nic: {{bandwidth: 10 GB/s, latency: 500 ns}}}}\n",
        workload)});
}

RunResults
RunNvlsTogether(const std::string& calls)
{
    return RunNvlsJob("collective: {parallel: [" + calls + "]}");
}

/// Of 64 MiB.
TraceNode
LargeAllReduce(uint64_t id, const std::string& group)
{
    return TraceNode(id, ChakraProtoMsg::COMM_COLL_NODE)
        .Cpu(false)
        .Int("comm_type", ChakraProtoMsg::ALL_REDUCE)
        .Int("comm_size", 64 << 20)
        .Text("pg_name", group);
}

/// Two all-reduces of 64 MiB that begin at once: of the ranks 0 to 4, and of five from `from` on.
RunResults
RunNvlsOfGroups(uint32_t from)
{
    const ScratchDirectory scratch("nvls-groups");
    std::vector<uint32_t> ranks[2] = {{0, 1, 2, 3, 4}, {}};
    std::vector<std::vector<TraceNode>> nodes(8);
    for (uint32_t member = 0; member < 5; ++member)
    {
        ranks[1].push_back(from + member);
        nodes[member].push_back(LargeAllReduce(1, "a"));
        nodes[from + member].push_back(LargeAllReduce(2, "b"));
    }
    scratch.Write("groups.json",
                  fmt::format(R"({{"a": [{}], "b": [{}]}})",
                              fmt::join(ranks[0], ", "),
                              fmt::join(ranks[1], ", ")));
    for (uint32_t rank = 0; rank < nodes.size(); ++rank)
    {
        scratch.Write(fmt::format("j.{}.et", rank), MakeTrace(nodes[rank]));
    }
    const std::string job = scratch.Path().string();
    return RunNvlsJob(fmt::format("trace: \"{}/j.{{rank}}.et\", groups: {}/groups.json", job, job));
}

/// us from its begin to its end, of the call of so many bytes.
double
RunOfNvlsCall(const RunResults& results, int64_t bytes)
{
    for (const CollectiveResult& one : results.collectives)
    {
        if (one.record.size == Bytes(bytes))
        {
            return (one.record.end - one.record.begin).Ns() / 1000;
        }
    }
    return 0;
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
    const double small = RunOfNvlsCall(both, 64 << 10);
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

TEST_CASE("nccl: a call of NVLS shares its port with a larger one loop by loop, whatever its size",
          "[component][nccl]")
{
    const RunResults both = RunNvlsTogether(NvlsCallOf("64 MiB") + ", " + NvlsCallOf("512 MiB"));
    // A loop of the large call, which is as long, goes before each of its eight.
    const double us = RunOfNvlsCall(both, 64 << 20);
    CHECK(us >= NVLS_FILL + 2 * LARGE_NVLS_DATA - NVLS_LOOP_DATA);
    CHECK(us <= NVLS_ALONE + LARGE_NVLS_DATA);
    // The large one, whose data are eight times as much, ends later by no more than the small
    // one's.
    CHECK(both.finish.Ns() / 1000 <=
          NVLS_FILL + 64 * NVLS_LOOP_WAIT + (8 + 1) * LARGE_NVLS_DATA * (1 + 1e-6));
}

TEST_CASE("nccl: a call of NVLS moves data once all its members are free, whoever keeps them busy",
          "[component][nccl]")
{
    // Ranks 3 and 4 are in both groups, so that the calls take turns as if one group made both.
    const RunResults same = RunNvlsOfGroups(0);
    const RunResults overlapping = RunNvlsOfGroups(3);
    REQUIRE(same.collectives.size() == 2);
    const SimTime sooner = same.collectives[0].record.end;
    const SimTime later = same.collectives[1].record.end;
    CHECK(later.Ns() / 1000 >= 2 * LARGE_NVLS_DATA);
    for (uint32_t rank = 0; rank < 8; ++rank)
    {
        CAPTURE(rank);
        CHECK(overlapping.ranks[rank].metrics.finish == (rank < 3 ? sooner : later));
    }
}
