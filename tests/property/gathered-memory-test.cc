// SPDX-License-Identifier: GPL-2.0-only
// Loads and stores of groups end, whatever the network does, and always at the same time.
#include "simulation/simulation.h"
#include "tests/support/case-count.h"
#include "tests/support/contains.h"
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

constexpr CaseCount GATHER_CASES{4, 25, 200};

struct GatherJob
{
    MemoryJob job;
    Bytes loaded; ///< payload that memories send
};

/// What all ranks access, by themselves, in halves, or all together.
void
AddAccesses(Draws& draws, bool multicasts, GatherJob& made)
{
    made.job.ranks.resize(6);
    const uint64_t accesses = draws.Below(4) + 1;
    for (uint64_t i = 0; i < accesses; ++i)
    {
        const uint64_t groups = draws.Pick({"all", "all", "half", "own"}) == "all" ? 1 : 2;
        MemoryNode node{draws.Below(3) == 0 ? NodeType::MemoryStore : NodeType::MemoryLoad,
                        Bytes(static_cast<int64_t>(draws.Below(200'000)))};
        for (uint64_t rank = 0; rank < 6; ++rank)
        {
            node.group = fmt::format("{} of {}", rank % groups, groups);
            made.job.ranks[rank].push_back(node);
        }
        const auto copies = static_cast<int64_t>(multicasts ? groups : 6);
        made.loaded += node.type == NodeType::MemoryLoad ? node.size * copies : Bytes(0);
    }
}

/// `trouble` stands behind the other keys of `network`.
GatherJob
DrawGatherJob(uint64_t seed, const std::string& trouble)
{
    Draws draws(seed);
    GatherJob made;
    std::string attach;
    const std::string shape = DrawMemoryShape(draws, attach);
    const bool hasSwitches = shape.find("ring") == std::string::npos;
    made.job.network = fmt::format("{{{}, memories: [{{name: pool, count: {}, attach: {}, link: "
                                   "{{bandwidth: {} GB/s, latency: 200 ns}}, bandwidth: {} "
                                   "GB/s}}]{}{}}}",
                                   shape,
                                   draws.Below(5) + 1,
                                   attach,
                                   draws.Below(90) + 10,
                                   draws.Below(90) + 10,
                                   hasSwitches && draws.Below(2) == 0
                                       ? ", in-network: {latency: 100 ns, bandwidth: 50 GB/s}"
                                       : "",
                                   trouble);
    const bool multicasts = draws.Below(4) > 0;
    made.job.remote =
        fmt::format("{{through: network, slice: {} B, gather: {{multicast: {}, tree: {}}}}}",
                    draws.Below(20'000) + 500,
                    multicasts ? "on" : "off",
                    draws.Pick({"inward", "along-edge"}));
    AddAccesses(draws, multicasts, made);
    return made;
}

} // namespace

TEST_CASE(
    "Gathered memory: every access ends, and no order of execution, train or memo changes when",
    "[property][packet]")
{
    for (uint64_t i = 0; i < GATHER_CASES.Pick(); ++i)
    {
        const uint64_t seed = FirstSeed() + i;
        GatherJob made = DrawGatherJob(seed, DrawMemoryTrouble(seed));
        MemoryJob& job = made.job;
        CAPTURE(seed, job.network, job.remote);
        const RunResults results = RunMemoryJob(job);
        REQUIRE(results.status == RunStatus::Done);
        CHECK(results.memory->bytes == made.loaded);
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

TEST_CASE("Gathered memory: every access ends in the other backends too, in any order of execution",
          "[property][packet]")
{
    for (uint64_t i = 0; i < GATHER_CASES.Pick(); ++i)
    {
        const uint64_t seed = FirstSeed() + i;
        for (const std::string backend : {"flow", "analytical"})
        {
            GatherJob made = DrawGatherJob(seed, ", backend: " + backend);
            CAPTURE(seed, made.job.network, made.job.remote);
            const RunResults results = RunMemoryJob(made.job);
            REQUIRE(results.status == RunStatus::Done);
            CHECK(results.memory->bytes == made.loaded);
            made.job.scrambleSeed = seed + 1;
            CHECK(RunMemoryJob(made.job).digest == results.digest);
        }
    }
}

namespace
{

const std::string FOUR_IN_A_RING =
    "dimensions: [{shape: ring, size: 4, bandwidth: 40 GB/s, latency: 300 ns}], memories: [{name: "
    "pool, attach: npu2, link: {bandwidth: 40 GB/s, latency: 200 ns}}]";

MemoryNode
OfAll(NodeType type, int64_t size)
{
    return {type, Bytes(size), "all"};
}

} // namespace

TEST_CASE(
    "Gathered memory: who waits for a member that makes no access, or for a memory whose link "
    "stays down, is told",
    "[property][packet]")
{
    const std::vector<MemoryNode> load{OfAll(NodeType::MemoryLoad, 1000)};
    const std::vector<MemoryNode> twice{OfAll(NodeType::MemoryLoad, 1000),
                                        OfAll(NodeType::MemoryStore, 5)};
    const RunResults missing =
        RunMemoryJob({.ranks = {twice, load}, .network = "{" + FOUR_IN_A_RING + "}"});
    CHECK(missing.status == RunStatus::Stuck);
    REQUIRE(missing.waits);
    REQUIRE(missing.waits->ranks.size() == 1);
    CHECK(Contains(missing.waits->ranks[0].waitsFor,
                   "store #1 of communicator 0: rank 1 has not made it"));

    const std::string down = ", faults: [{at: 0 ns, link: [npu2, pool0], state: down}]}";
    const RunResults lost =
        RunMemoryJob({.ranks = {load, load}, .network = "{" + FOUR_IN_A_RING + down});
    CHECK(lost.status == RunStatus::Stuck);
    REQUIRE(lost.waits);
    REQUIRE(lost.waits->ranks.size() == 2);
    CHECK(lost.waits->ranks[0].waitsFor ==
          "load #0 of communicator 0: slices have not arrived from npu1");
    CHECK(lost.waits->ranks[1].waitsFor ==
          "load #0 of communicator 0: slices have not arrived from pool0");
    CHECK(Contains(lost.exitReason, "pool0"));
}

TEST_CASE("Gathered memory: loads of one group that differ in size, and a load that meets a store, "
          "end the run and are named",
          "[property][packet]")
{
    const auto reason = [](const MemoryNode& first, const MemoryNode& second)
    {
        return RunMemoryJob({.ranks = {{first}, {second}}, .network = "{" + FOUR_IN_A_RING + "}"})
            .exitReason;
    };
    CHECK(reason(OfAll(NodeType::MemoryLoad, 1000), OfAll(NodeType::MemoryLoad, 2000)) ==
          "access #0 of communicator 0 {0, 1} to remote memory: rank 1 (node 1 \"access\") loads "
          "2000 B, rank 0 (node 1 \"access\") loads 1000 B");
    CHECK(reason(OfAll(NodeType::MemoryLoad, 1000), OfAll(NodeType::MemoryStore, 1000)) ==
          "access #0 of communicator 0 {0, 1} to remote memory: rank 1 (node 1 \"access\") stores "
          "1000 B, rank 0 (node 1 \"access\") loads 1000 B");
}
