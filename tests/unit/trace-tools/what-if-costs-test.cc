// SPDX-License-Identifier: GPL-2.0-only
// What structure and edits of large jobs cost, in what they allocate: times differ by machine.
#include "tests/support/allocation-count.h"
#include "tests/support/what-if-bench.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/what-if/what-if-settings.h"
#include "workload/what-if/what-if.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <malloc.h>
#include <string>
#include <utility>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// Copies of two tensor-parallel ranks, each of which goes through 16 layers in 16 micro-batches.
/// All ranks share a graph.
Workload
CopiesOfLargeJob(uint32_t copies, const ModelValues& more = {})
{
    ModelValues values{{"layers", "16"},
                       {"tp", "2"},
                       {"dp", std::to_string(copies)},
                       {"batch", std::to_string(16 * copies)}};
    for (const auto& [key, value] : more)
    {
        values[key] = value;
    }
    return GenerateHalf({std::move(values), {}, {}}, {});
}

/// Structure and edits.
WhatIfJob
FindAndEdit(const Workload& job, const std::string& setting)
{
    return ApplyWhatIf(job, FindStructure(job, {}, {}), ParseWhatIf({setting}));
}

uint64_t
BytesToEdit(const Workload& job, const std::string& setting)
{
    const uint64_t before = AllocationsSoFar().bytes;
    FindAndEdit(job, setting);
    return AllocationsSoFar().bytes - before;
}

const std::vector<std::string>&
LargeEdits()
{
    static const std::vector<std::string> edits{
        "layers=32", "dp=8", "pp=2", "micro-batches=32", "hidden=128", "tp=4", "speed=mlp:2"};
    return edits;
}

} // namespace

TEST_CASE("FindStructure: a graph that ranks share is read once", "[unit][trace-tools][what-if]")
{
    const Workload job = CopiesOfLargeJob(4);
    REQUIRE(job.RankCount() == 8);
    REQUIRE(job.graphs.size() == 1);
    const JobStructure found = FindStructure(job, {}, {});
    CHECK(std::ranges::count_if(
              found.ranks, [](const RankStructure& rank) { return !rank.tasks.empty(); }) == 1);
}

TEST_CASE("What-if: a graph that ranks share is rewritten once, for eight ranks as for four",
          "[unit][trace-tools][what-if]")
{
    const Workload four = CopiesOfLargeJob(2);
    const Workload eight = CopiesOfLargeJob(4);
    for (const std::string& edit : LargeEdits())
    {
        CAPTURE(edit);
        // One graph for each stage.
        CHECK(FindAndEdit(eight, edit).job.graphs.size() == (edit == "pp=2" ? 2 : 1));
        // Once more for each of four more ranks would be twice as much.
        const uint64_t ofFour = BytesToEdit(four, edit);
        CHECK(BytesToEdit(eight, edit) < ofFour + ofFour / 20);
    }
}

TEST_CASE("What-if: an edited job takes as much memory as one that is generated",
          "[unit][trace-tools][what-if]")
{
    // Counts what is kept, which sanitizers do not tell: the numbers are 0 there.
    const auto bytes = [](const auto& make)
    {
        const size_t before = mallinfo2().uordblks;
        const Workload job = make();
        const size_t kept = mallinfo2().uordblks - before;
        return std::pair(kept, job.graphs[0].NodeCount());
    };
    const Workload from = CopiesOfLargeJob(4);
    const auto [made, nodes] = bytes([&] { return FindAndEdit(from, "layers=32").job; });
    const auto [generated, same] = bytes([] { return CopiesOfLargeJob(4, {{"layers", "32"}}); });
    REQUIRE(nodes == same);
    CHECK(made <= generated + generated / 10);
    // A node has 64 bytes, some edges, and here the sizes of its kernel.
    CHECK(made < 200 * uint64_t{nodes});
}
