// SPDX-License-Identifier: GPL-2.0-only
// Accesses to remote memory end, whatever the network does, and always at the same time.
#include "simulation/simulation.h"
#include "tests/support/case-count.h"
#include "tests/support/draw-memory-network.h"
#include "tests/support/draws.h"
#include "tests/support/memory-job.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

constexpr CaseCount MEMORY_CASES{4, 25, 200};

/// `trouble` stands behind the other keys of `network`.
MemoryJob
DrawMemoryJob(uint64_t seed, const std::string& trouble)
{
    Draws draws(seed);
    MemoryJob job;
    std::string attach;
    const std::string shape = DrawMemoryShape(draws, attach);
    job.network = fmt::format("{{{}, memories: [{{name: pool, count: {}, attach: {}, link: "
                              "{{bandwidth: {} GB/s, latency: "
                              "200 ns}}, bandwidth: {} GB/s}}]{}}}",
                              shape,
                              draws.Below(5) + 1,
                              attach,
                              draws.Below(90) + 10,
                              draws.Below(90) + 10,
                              trouble);
    job.remote = fmt::format("{{through: network, place: {}, slice: {} B}}",
                             draws.Pick({"own", "nearest", "interleaved"}),
                             draws.Below(20'000) + 500);
    for (uint32_t rank = 0; rank < 6; ++rank)
    {
        std::vector<MemoryNode> accesses(draws.Below(4));
        for (MemoryNode& access : accesses)
        {
            access.type = draws.Below(3) == 0 ? NodeType::MemoryStore : NodeType::MemoryLoad;
            access.size = Bytes(static_cast<int64_t>(draws.Below(300'000)));
        }
        job.ranks.push_back(accesses);
    }
    return job;
}

Bytes
Sum(const MemoryJob& job, NodeType type)
{
    Bytes sum;
    for (const auto& accesses : job.ranks)
    {
        for (const MemoryNode& access : accesses)
        {
            sum += access.type == type ? access.size : Bytes(0);
        }
    }
    return sum;
}

} // namespace

TEST_CASE("Remote memory: every access ends, and no order of execution, train or memo changes when",
          "[property][packet]")
{
    for (uint64_t i = 0; i < MEMORY_CASES.Pick(); ++i)
    {
        const uint64_t seed = FirstSeed() + i;
        MemoryJob job = DrawMemoryJob(seed, DrawMemoryTrouble(seed));
        CAPTURE(seed, job.network, job.remote);
        const RunResults results = RunMemoryJob(job);
        REQUIRE(results.status == RunStatus::Done);
        CHECK(results.memory->bytes == Sum(job, NodeType::MemoryLoad));
        CHECK(results.BytesSent() == Sum(job, NodeType::MemoryStore));
        if (job.network.find("pfc") != std::string::npos)
        {
            CHECK(results.totals.drops == 0);
        }
        job.scrambleSeed = seed + 1;
        CHECK(RunMemoryJob(job).digest == results.digest);
        job.settings = {"network.packet.trains=off", "network.packet.memo=off"};
        CHECK(RunMemoryJob(job).digest == results.digest);
    }
}

TEST_CASE("Remote memory: every access ends in the other backends too, in any order of execution",
          "[property][packet]")
{
    for (uint64_t i = 0; i < MEMORY_CASES.Pick(); ++i)
    {
        const uint64_t seed = FirstSeed() + i;
        for (const std::string backend : {"flow", "analytical"})
        {
            MemoryJob job = DrawMemoryJob(seed, ", backend: " + backend);
            CAPTURE(seed, job.network, job.remote);
            const RunResults results = RunMemoryJob(job);
            REQUIRE(results.status == RunStatus::Done);
            CHECK(results.memory->bytes == Sum(job, NodeType::MemoryLoad));
            job.scrambleSeed = seed + 1;
            CHECK(RunMemoryJob(job).digest == results.digest);
        }
    }
}

TEST_CASE("Remote memory: a memory whose link stays down is named, and so is who waits for it",
          "[property][packet]")
{
    const RunResults results = RunMemoryJob(
        {.ranks = {{{NodeType::MemoryLoad, Bytes(200'000)}}, {{NodeType::MemoryStore, Bytes(1)}}},
         .network = "{dimensions: [{shape: ring, size: 4, bandwidth: 40 GB/s, latency: 300 ns}], "
                    "memories: [{name: pool, attach: npu2, link: {bandwidth: 40 GB/s, latency: 200 "
                    "ns}}], faults: [{at: 0 ns, link: [npu2, pool0], state: down}]}"});
    CHECK(results.status == RunStatus::Stuck);
    CHECK(results.exitReason.find("pool0") != std::string::npos);
    REQUIRE(results.waits);
    REQUIRE(results.waits->ranks.size() == 2);
    CHECK(results.waits->ranks[0].waitsFor == "load from pool0: 4 of 4 slices have not arrived");
    CHECK(results.waits->ranks[1].waitsFor == "store to pool0: 1 of 1 slices has not been written");
}
