// SPDX-License-Identifier: GPL-2.0-only
// Layers that lack a task which others of their kind have.
#include "tests/support/trace-edit-bench.h"
#include "workload/tools/structure/job-analysis.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

namespace nadi::test
{

namespace
{

/// Ten layers of three kernels and a sum over both ranks, but one layer, which has no sum.
std::vector<TraceNode>
MakeLayers(uint32_t withoutSum)
{
    std::vector<TraceNode> nodes;
    const auto add = [&nodes](TraceNode node)
    { nodes.push_back(nodes.empty() ? node : node.Data(nodes.size())); };
    for (uint32_t layer = 0; layer < 10; ++layer)
    {
        for (const std::string name : {"alpha", "beta", "sum", "gamma"})
        {
            const uint64_t id = nodes.size() + 1;
            if (name != "sum")
            {
                add(NamedNode(id, fmt::format("layer {} {}", layer, name)).Cpu(false).Micros(3));
            }
            else if (layer != withoutSum)
            {
                add(AllReduce(id).Micros(2));
            }
        }
    }
    return nodes;
}

} // namespace

TEST_CASE("FindStructure: the layer that lacks a task is the odd one", "[unit][trace-tools]")
{
    const ScratchFolder folder("odd-layers");
    const TraceJob job = MakeTraceJob(folder, "job", {MakeLayers(5), MakeLayers(5)});
    const JobStructure found = FindStructure(job, {});
    CHECK(found.layers == 10);
    REQUIRE(found.ranks[0].kinds.size() == 1);
    CHECK(found.ranks[0].kinds[0].taskCount == 4);
    CHECK(std::ranges::count(found.notes,
                             "Rank 0: 1 of the layers in its passes lack tasks that others of "
                             "their kind have.") == 1);
}

} // namespace nadi::test
