// SPDX-License-Identifier: GPL-2.0-only
// Layers that lack a task which others of their kind have.
#include "tests/support/trace-edit-bench.h"
#include "tests/support/what-if-bench.h"
#include "workload/tools/structure/job-analysis.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <map>

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

/// A rank whose kernels have these names, one after the other.
std::vector<TraceNode>
MakeKernels(const std::string& names)
{
    std::vector<TraceNode> nodes;
    for (const char name : names)
    {
        TraceNode node = NamedNode(nodes.size() + 1, std::string(1, name)).Cpu(false).Micros(3);
        nodes.push_back(nodes.empty() ? node : node.Data(nodes.size()));
    }
    return nodes;
}

} // namespace

TEST_CASE(
    "FindStructure: layers found by a pattern that hold those of another rank are found by these",
    "[unit][trace-tools]")
{
    const ScratchFolder folder("odd-ranks");
    const TraceJob job =
        MakeTraceJob(folder, "job", {MakeKernels("xabxabxabxab"), MakeKernels("xabcxabcxabcxabc")});
    const JobStructure found =
        FindStructure(job, StructureHints{.layerPattern = "^x$", .degrees = {}});
    CHECK(found.ranks[0].evidence == StructureEvidence::Hint);
    CHECK(found.ranks[0].passes.size() == 1);
    // Between its layers is something else, so each is a pass of its own.
    CHECK(found.ranks[1].evidence == StructureEvidence::Repetition);
    CHECK(found.ranks[1].passes.size() == 4);
    for (const RankStructure& rank : found.ranks)
    {
        REQUIRE(rank.kinds.size() == 1);
        CHECK(rank.kinds[0].passes == 4);
        CHECK(rank.kinds[0].taskCount == 3);
    }
}

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

TEST_CASE("FindStructure: calls between two layers are of the layer that their names say",
          "[unit][trace-tools]")
{
    // Going backward, layer 0 alone begins with a gather; those with experts begin with an
    // all-to-all.
    const Workload job = GenerateHalf({{{"layers", "4"},
                                        {"dense-layers", "1"},
                                        {"experts", "4"},
                                        {"top-k", "1"},
                                        {"tp", "2"},
                                        {"sp", "on"},
                                        {"dp", "2"},
                                        {"ep", "2"},
                                        {"batch", "4"}},
                                       {},
                                       {}},
                                      {});
    const JobStructure found = FindStructure(job, {}, {});
    std::map<uint64_t, uint32_t> gathersOf; // by passes of a kind of backward layer
    for (const LayerKind& kind : found.ranks.front().kinds)
    {
        if (!kind.isForward)
        {
            gathersOf[kind.passes] = kind.tasksByType.at("all-gather");
        }
    }
    // Two micro-batches through one dense layer and three with experts. Each block gathers the
    // gradient of its output, and its input again, which experts keep.
    CHECK(gathersOf == std::map<uint64_t, uint32_t>{{2, 2 + 2}, {6, 2 + 1}});
}

} // namespace nadi::test
