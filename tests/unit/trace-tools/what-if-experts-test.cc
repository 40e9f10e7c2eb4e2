// SPDX-License-Identifier: GPL-2.0-only
// What-if: experts that are spread over ranks, or no more, and experts of a single copy.
#include "tests/support/config-error-text.h"
#include "tests/support/roofline-job.h"
#include "tests/support/what-if-bench.h"
#include "workload/what-if/graph-changes.h"
#include "workload/what-if/graph-copy.h"
#include "workload/what-if/graph-rewriter.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nadi::test
{

namespace
{

/// Eight experts on four copies.
ModelValues
Mixture(ModelValues values)
{
    values.merge(ModelValues{{"experts", "8"}, {"top-k", "2"}, {"dp", "4"}, {"batch", "8"}});
    return values;
}

WhatIfPair
Spread(ModelValues values, const std::string& from, const std::string& to)
{
    return SizeOf(Mixture(std::move(values)), "ep", from, to);
}

/// Each call among copies of experts becomes one with the call before it, which is of the rest.
ExecutionGraph
WithSumsTogether(const ExecutionGraph& graph)
{
    const auto isOfExperts = [&graph](uint32_t node)
    {
        const ExecutionNode& call = graph.Node(node);
        return call.type == NodeType::Collective && graph.GroupNames()[call.group] == "expert-dp";
    };
    GraphChanges changes;
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        changes.removed.push_back(isOfExperts(node));
    }
    const auto addSize = [&](uint32_t node, NodeCopy& copy)
    {
        const bool isBefore = node + 1 < graph.NodeCount() && isOfExperts(node + 1);
        copy.node.size += isBefore ? graph.Node(node + 1).size : 0;
    };
    return RewriteGraph(ChangeNodes(graph, addSize), changes);
}

/// Kernels wait for the kernel before, as on one stream, besides for what is no kernel.
ExecutionGraph
WithKernelsInTurn(const ExecutionGraph& graph)
{
    ExecutionGraphBuilder builder(graph.Source());
    AddGroups(graph, builder);
    const std::vector<std::vector<uint32_t>> parents = FindParents(graph);
    std::optional<uint64_t> last;
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        NodeCopy copy = CopyNode(graph, node);
        const bool isKernel = copy.node.type == NodeType::Compute;
        std::vector<uint64_t> after;
        for (const uint32_t parent : parents[node])
        {
            if (!isKernel || graph.Node(parent).type != NodeType::Compute)
            {
                after.push_back(graph.Node(parent).id);
            }
        }
        if (isKernel && last)
        {
            after.push_back(*last);
        }
        last = isKernel ? copy.node.id : last;
        AddCopy(std::move(copy), after, builder);
    }
    return builder.Build();
}

} // namespace

TEST_CASE("What-if: experts of all copies are spread over some of them, and back",
          "[unit][what-if][shapes]")
{
    CheckPairs({
        Spread({}, "1", "2"),
        Spread({{"mlp", "gated"}, {"shared-experts", "1"}}, "2", "1"),
        Spread({{"tp", "2"}, {"sp", "on"}}, "1", "2"),
        Spread({{"pp", "2"}, {"layers", "4"}, {"recompute", "full"}}, "1", "2"),
        Spread({{"zero", "1"}, {"pp", "2"}, {"layers", "4"}}, "1", "2"),
        Spread({{"zero", "3"}, {"recompute", "full"}}, "1", "2"),
        Spread({{"tp", "4"}, {"sp", "on"}, {"zero", "2"}, {"schedule", "gpipe"}}, "2", "1"),
    });
}

TEST_CASE("What-if: graphs that no rank has do not hinder experts from being spread",
          "[unit][what-if][shapes]")
{
    const WhatIfPair pair = Spread({}, "1", "2");
    Workload job = GenerateHalf(pair, pair.from);
    // As of a copy that is no more.
    job.graphs.push_back(job.graphs.front());
    CheckSameJob(MakeWhatIf(std::move(job), pair.to), GenerateHalf(pair, pair.to));
}

TEST_CASE("What-if: experts of a single copy are summed with others, and the other way round",
          "[unit][what-if][shapes]")
{
    CheckPairs({
        Spread({}, "2", "4"),
        Spread({{"tp", "2"}, {"sp", "on"}, {"mlp", "gated"}}, "4", "2"),
        Spread({{"pp", "2"}, {"layers", "4"}, {"recompute", "full"}}, "1", "4"),
        Spread({{"zero", "1"}, {"shared-experts", "2"}}, "1", "4"),
        Spread({{"zero", "3"}, {"tp", "2"}, {"sp", "on"}}, "2", "4"),
        Spread({{"zero", "2"}, {"recompute", "selective"}}, "4", "1"),
    });
}

TEST_CASE("What-if: experts get tensor-parallel ranks, with and without shards of parameters",
          "[unit][what-if][shapes]")
{
    const auto cut = [](ModelValues values)
    {
        return SizesOf(
            Mixture(std::move(values)), {{"tp", "1"}, {"sp", "off"}}, {{"tp", "2"}, {"sp", "on"}});
    };
    CheckPairs({
        cut({{"ep", "2"}}),
        cut({{"ep", "4"}, {"shared-experts", "1"}}),
        cut({{"ep", "1"}, {"zero", "3"}}),
        cut({{"ep", "2"}, {"zero", "3"}}),
        cut({{"ep", "2"}, {"zero", "3"}, {"layers", "4"}, {"recompute", "full"}}),
        cut({{"ep", "4"}, {"zero", "3"}, {"mlp", "gated"}}),
        cut({{"ep", "2"}, {"zero", "2"}, {"pp", "2"}, {"layers", "4"}}),
        cut({{"ep", "2"}, {"zero", "3"}, {"shared-experts", "2"}, {"batch", "16"}}),
    });
}

TEST_CASE("What-if: experts are spread anew beside other edits", "[unit][what-if][shapes]")
{
    CheckPairs({
        SizesOf(Mixture({}),
                {{"ep", "1"}, {"tp", "1"}, {"sp", "off"}, {"hidden", "64"}},
                {{"ep", "4"}, {"tp", "2"}, {"sp", "on"}, {"hidden", "96"}}),
        SizesOf(Mixture({{"pp", "2"}}),
                {{"ep", "1"}, {"layers", "4"}, {"ffn", "192"}},
                {{"ep", "2"}, {"layers", "8"}, {"ffn", "96"}}),
        SizesOf(Mixture({{"layers", "4"}}),
                {{"ep", "4"}, {"pp", "1"}, {"batch", "8"}},
                {{"ep", "1"}, {"pp", "2"}, {"batch", "8"}}),
        SizesOf(
            Mixture({{"ep", "4"}, {"recompute", "full"}}), {{"layers", "3"}}, {{"layers", "5"}}),
        SizesOf(Mixture({{"ep", "4"}, {"layers", "8"}, {"tp", "2"}, {"sp", "on"}}),
                {{"pp", "2"}},
                {{"pp", "4"}}),
        SizesOf(Mixture({{"ep", "4"}, {"layers", "4"}}), {{"pp", "1"}}, {{"pp", "2"}}),
        SizesOf(Mixture({}),
                {{"ep", "2"}, {"dp", "2"}, {"batch", "4"}},
                {{"ep", "1"}, {"dp", "6"}, {"batch", "12"}}),
        SizesOf(Mixture({{"layers", "4"}, {"positions", "rotary"}}),
                {{"ep", "1"}, {"dp", "1"}, {"batch", "2"}},
                {{"ep", "4"}, {"dp", "4"}, {"batch", "8"}}),
        SizesOf(Mixture({{"tp", "2"}, {"sp", "on"}}),
                {{"ep", "2"}, {"dp", "2"}, {"batch", "2"}},
                {{"ep", "4"}, {"dp", "8"}, {"batch", "8"}}),
        SizesOf(Mixture({{"zero", "1"}}),
                {{"ep", "4"}, {"dp", "4"}, {"batch", "4"}, {"hidden", "64"}, {"pp", "2"}},
                {{"ep", "8"}, {"dp", "8"}, {"batch", "8"}, {"hidden", "128"}, {"pp", "2"}}),
    });
}

TEST_CASE("What-if: copies become as many as share experts, and more of these",
          "[unit][what-if][shapes]")
{
    const auto copies = [](ModelValues values,
                           const std::string& ep,
                           const std::string& from,
                           const std::string& to)
    {
        values["ep"] = ep;
        return SizesOf(Mixture(std::move(values)),
                       {{"dp", from}, {"batch", from}},
                       {{"dp", to}, {"batch", to}});
    };
    CheckPairs({
        copies({}, "2", "2", "4"),
        copies({{"tp", "2"}, {"sp", "on"}, {"mlp", "gated"}}, "4", "4", "8"),
        copies({{"pp", "2"}, {"layers", "4"}, {"recompute", "full"}}, "2", "6", "2"),
        copies({{"zero", "1"}}, "2", "2", "4"),
        copies({{"zero", "3"}, {"shared-experts", "1"}}, "2", "4", "2"),
    });
}

TEST_CASE(
    "What-if: with ZeRO, the optimizer grows with the shards of experts and those of the rest",
    "[unit][what-if][shapes]")
{
    const auto layers = [](ModelValues values, const std::string& ep)
    {
        values["ep"] = ep;
        return SizesOf(Mixture(std::move(values)), {{"layers", "3"}}, {{"layers", "5"}});
    };
    CheckPairs({
        layers({{"zero", "1"}}, "2"),
        layers({{"zero", "2"}, {"tp", "2"}, {"sp", "on"}}, "2"),
        layers({{"zero", "3"}, {"recompute", "full"}}, "2"),
        layers({{"zero", "1"}, {"mlp", "gated"}, {"shared-experts", "1"}}, "4"),
        // Shards of which the last are smaller.
        layers({{"zero", "1"}, {"dp", "6"}, {"batch", "12"}, {"expert-ffn", "35"}}, "2"),
        SizesOf(
            Mixture({{"zero", "3"}, {"ep", "2"}, {"layers", "8"}}), {{"pp", "2"}}, {{"pp", "4"}}),
    });
}

TEST_CASE("What-if: with ZeRO and experts, an edit takes what another one made",
          "[unit][what-if][shapes]")
{
    const ModelValues values = Mixture({{"zero", "1"}, {"ep", "2"}, {"ffn", "192"}});
    const auto made = [&](ModelValues half)
    {
        half.merge(ModelValues(values));
        return GenerateHalf({std::move(half), {}, {}}, {});
    };
    const Workload longer = MakeWhatIf(made({{"layers", "3"}}), {{"layers", "5"}});
    CheckSameJob(MakeWhatIf(longer, {{"hidden", "128"}}),
                 made({{"layers", "5"}, {"hidden", "128"}}));
    CheckSameJob(MakeWhatIf(longer, {{"ep", "4"}}), made({{"layers", "5"}, {"ep", "4"}}));
    const ModelValues parted{{"tp", "2"}, {"sp", "on"}};
    CheckSameJob(MakeWhatIf(longer, parted), MakeWhatIf(made({{"layers", "5"}}), parted));
    const Workload wider = MakeWhatIf(made({{"layers", "3"}}), {{"hidden", "128"}});
    CheckSameJob(MakeWhatIf(wider, {{"layers", "5"}}), made({{"layers", "5"}, {"hidden", "128"}}));
}

TEST_CASE("What-if: kernels of experts that are spread take what one roofline gives them",
          "[unit][what-if][shapes]")
{
    ModelValues values = LargeSizes();
    values.merge(ModelValues{{"tp", "2"}, {"sp", "on"}});
    const WhatIfPair pair = Spread(std::move(values), "1", "4");
    const Workload before = WithRooflineTimes(GenerateHalf(pair, pair.from));
    const Workload after = WithRooflineTimes(GenerateHalf(pair, pair.to));
    for (const auto& [from, to] : {std::pair(&before, &after), std::pair(&after, &before)})
    {
        const Workload made = MakeWhatIf(*from, to == &after ? pair.to : pair.from);
        CheckSameJob(made, *to);
        CheckDurations(made, *to);
    }
}

TEST_CASE("What-if: gradients of experts that are summed with the rest are told apart",
          "[unit][what-if][shapes]")
{
    for (const WhatIfPair& pair : {Spread({}, "1", "2"),
                                   Spread({{"zero", "1"}, {"mlp", "gated"}}, "1", "4"),
                                   Spread({{"zero", "3"}, {"tp", "2"}, {"sp", "on"}}, "1", "2")})
    {
        Workload job = GenerateHalf(pair, pair.from);
        for (ExecutionGraph& graph : job.graphs)
        {
            graph = WithSumsTogether(graph);
        }
        CheckSameJob(MakeWhatIf(job, pair.to), GenerateHalf(pair, pair.to));
        CheckSameJob(MakeWhatIf(job, pair.from), job);
    }
}

TEST_CASE("What-if: experts whose parameters can be told in several ways are refused where they "
          "would be summed",
          "[unit][what-if][shapes]")
{
    // An attention of 64 queries, keys and values has as many biases as two norms would have in a
    // second vector. Nobody sums the norm of the head, and the optimizer says nothing.
    const WhatIfPair pair = SizesOf(
        Mixture(
            {{"heads", "2"}, {"kv-heads", "1"}, {"head-size", "16"}, {"norm", "rms"}, {"ep", "2"}}),
        {{"dp", "2"}, {"batch", "2"}},
        {{"dp", "4"}, {"batch", "4"}});
    Workload job = GenerateHalf(pair, pair.from);
    const auto hideOptimizer = [](uint32_t, NodeCopy& copy)
    { copy.kernels.resize(copy.name == "optimizer" ? 0 : copy.kernels.size()); };
    ExecutionGraph& graph = job.graphs.front();
    graph = ChangeNodes(graph, hideOptimizer);
    GraphChanges changes;
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        changes.removed.push_back(graph.Name(node).ends_with("head gradients over dp"));
    }
    graph = RewriteGraph(graph, changes);
    CHECK(
        ConfigErrorText([&] { MakeWhatIf(job, pair.to); }) ==
        "what-if: dp: transformer stage 0: \"micro-batch 0 layer 2 gradients over dp\" tells the "
        "parameters of layers in several ways, so those of their experts are unknown; a recording "
        "of two or more copies that share experts shows them");
}

TEST_CASE("What-if: ranks may share experts by the group of their copies",
          "[unit][what-if][shapes]")
{
    const WhatIfPair pair = SizesOf(
        Mixture({{"ep", "2"}}), {{"dp", "2"}, {"batch", "2"}}, {{"dp", "4"}, {"batch", "4"}});
    Workload job = GenerateHalf(pair, pair.from);
    const auto& names = job.graphs.front().GroupNames();
    const auto groupOf = [&names](const std::string& name)
    { return static_cast<uint32_t>(std::ranges::find(names, name) - names.begin()); };
    job.graphs.front() =
        ChangeNodes(job.graphs.front(),
                    [shared = groupOf("ep"), copies = groupOf("dp")](uint32_t, NodeCopy& copy)
                    { copy.node.group = copy.node.group == shared ? copies : copy.node.group; });
    CheckSameJob(MakeWhatIf(job, pair.to), GenerateHalf(pair, pair.to));
}

TEST_CASE("What-if: on one stream, the next kernel waits for what experts give out",
          "[unit][what-if][shapes]")
{
    const WhatIfPair pair = Spread({}, "1", "2");
    Workload job = GenerateHalf(pair, pair.from);
    job.graphs.front() = WithKernelsInTurn(job.graphs.front());
    const Workload made = MakeWhatIf(job, pair.to);
    const ExecutionGraph& graph = made.GraphOf(RankId{0});
    const std::vector<std::vector<uint32_t>> parents = FindParents(graph);
    size_t exchanges = 0;
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        if (graph.Node(node).type != NodeType::Collective ||
            graph.Node(node).collective != CollectiveType::AllToAll)
        {
            continue;
        }
        CAPTURE(node, graph.Name(node));
        ++exchanges;
        CHECK(parents[node].size() == 1);
        uint32_t next = node + 1;
        while (graph.Name(node).ends_with("dispatch gradient") &&
               graph.Name(next).ends_with("experts weight gradient"))
        {
            ++next;
        }
        CHECK(std::ranges::find(parents[next], node) != parents[next].end());
    }
    // Around experts of three layers, forward and backward, of two micro-batches.
    CHECK(exchanges == 2 * 2 * 3 * 2);
}

} // namespace nadi::test
