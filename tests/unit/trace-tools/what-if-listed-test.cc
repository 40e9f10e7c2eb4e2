// SPDX-License-Identifier: GPL-2.0-only
// Edits of jobs whose files list their nodes in another order than the program's: shuffled ones,
// and GPTs by the generator of another simulator, which sum gradients in each micro-batch.
#include "tests/support/config-error-text.h"
#include "tests/support/trace-edit-bench.h"
#include "tests/support/what-if-bench.h"
#include "workload/what-if/gather-pairs.h"
#include "workload/what-if/graph-copy.h"
#include "workload/what-if/known-job.h"
#include "workload/what-if/what-if-settings.h"
#include "workload/what-if/what-if.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace nadi::test
{

namespace
{

struct ListedJob
{
    explicit ListedJob(const std::string& folder)
        : known(ReadKnownJob(FindRecordedRankFiles(SampleTrace(folder + "/workload.{rank}.et.gz")),
                             SampleTrace(folder + "/workload.json"),
                             {}))
    {
    }

    Workload Apply(const std::string& setting) const
    {
        return ApplyWhatIf(known.job, known.structure, ParseWhatIf({setting})).job;
    }

    KnownJob known;
};

/// Bytes of the collectives of a rank, by kind.
std::map<CollectiveType, uint64_t>
SumBytes(const Workload& job, uint32_t rank)
{
    std::map<CollectiveType, uint64_t> bytes;
    for (const ExecutionNode& node : job.GraphOf(RankId{rank}).Nodes())
    {
        if (node.type == NodeType::Collective)
        {
            bytes[node.collective] += node.size;
        }
    }
    return bytes;
}

/// A graph as another one has it, with the nodes in this order and with other ids.
ExecutionGraph
NumberedAnew(const ExecutionGraph& graph, const std::vector<uint32_t>& order)
{
    const ExecutionGraph moved = graph.InOrder(order);
    ExecutionGraphBuilder builder(graph.Source());
    AddGroups(graph, builder);
    const std::vector<std::vector<uint32_t>> parents = FindParents(moved);
    for (uint32_t node = 0; node < moved.NodeCount(); ++node)
    {
        NodeCopy copy = CopyNode(moved, node);
        copy.node.id = node;
        AddCopy(std::move(copy),
                std::vector<uint64_t>(parents[node].begin(), parents[node].end()),
                builder);
    }
    return builder.Build();
}

std::vector<uint32_t>
FileOrder(const ExecutionGraph& graph)
{
    std::vector<uint32_t> order(graph.NodeCount());
    std::iota(order.begin(), order.end(), 0);
    return order;
}

/// With a node that says something of the trace and is no task.
ExecutionGraph
WithMetadata(const ExecutionGraph& graph)
{
    ExecutionGraphBuilder builder(graph.Source());
    AddGroups(graph, builder);
    const std::vector<std::vector<uint32_t>> parents = FindParents(graph);
    uint64_t last = 0;
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        std::vector<uint64_t> after;
        for (const uint32_t parent : parents[node])
        {
            after.push_back(graph.Node(parent).id);
        }
        AddCopy(CopyNode(graph, node), after, builder);
        last = std::max(last, graph.Node(node).id);
    }
    builder.AddNode({.id = last + 1, .type = NodeType::Metadata}, "metadata");
    return builder.Build();
}

/// Receives are posted before all else, as in a file that was sorted by starts and numbered anew.
ExecutionGraph
WithReceivesFirst(const ExecutionGraph& graph)
{
    std::vector<uint32_t> order = FileOrder(graph);
    std::ranges::stable_partition(
        order, [&graph](uint32_t node) { return graph.Node(node).type == NodeType::Receive; });
    return NumberedAnew(graph, order);
}

/// Of the gathers behind the optimizer that of the embedding comes first.
ExecutionGraph
WithEmbeddingFirst(const ExecutionGraph& graph)
{
    std::vector<uint32_t> order = FileOrder(graph);
    const auto isGather = [&graph](uint32_t node)
    {
        return graph.Node(node).type == NodeType::Collective &&
               graph.Node(node).collective == CollectiveType::AllGather;
    };
    const auto first = std::ranges::find_if(order, isGather);
    REQUIRE(std::all_of(first, order.end(), isGather));
    std::rotate(first, order.end() - 1, order.end());
    return NumberedAnew(graph, order);
}

std::multiset<uint64_t>
GatheredBy(const Workload& job, uint32_t rank)
{
    std::multiset<uint64_t> sizes;
    for (const ExecutionNode& node : job.GraphOf(RankId{rank}).Nodes())
    {
        if (node.type == NodeType::Collective && node.collective == CollectiveType::AllGather)
        {
            sizes.insert(node.size);
        }
    }
    return sizes;
}

} // namespace

TEST_CASE("What-if: gathers behind the optimizer belong to the sums of their sizes",
          "[unit][trace-tools][what-if]")
{
    for (const std::string zero : {"1", "2"})
    {
        for (const std::string layers : {"2", "8"})
        {
            CAPTURE(zero, layers);
            const WhatIfPair pair = SizeOf({{"zero", zero}}, "layers", "4", layers);
            Workload job = GenerateHalf(pair, pair.from);
            for (ExecutionGraph& graph : job.graphs)
            {
                graph = WithEmbeddingFirst(graph);
            }
            CHECK(GatheredBy(MakeWhatIf(job, pair.to), 1) ==
                  GatheredBy(GenerateHalf(pair, pair.to), 1));
        }
    }
}

TEST_CASE("PairGathers: sizes tell, then the order", "[unit][trace-tools][what-if]")
{
    using Pairs = std::vector<size_t>;
    CHECK(PairGathers({100, 700, 700, 2000}, {400, 2800, 2800, 8000}) == Pairs{0, 1, 2, 3});
    CHECK(PairGathers({2000, 700, 100, 700}, {400, 2800, 2800, 8000}) == Pairs{3, 1, 0, 2});
    // The sums of earlier micro-batches stand before.
    CHECK(PairGathers({7000, 1000}, {4000, 28000, 4000, 28000}) == Pairs{3, 2});
    CHECK_FALSE(PairGathers({1000, 1000}, {4000}));
    CHECK_FALSE(PairGathers({5000, 3000}, {28000, 4000}));
}

TEST_CASE("What-if: files that list the nodes of a job in any order give the same job",
          "[unit][trace-tools][what-if]")
{
    const ModelValues four{{"layers", "4"}, {"batch", "8"}};
    const ModelValues stages{{"layers", "4"}, {"batch", "8"}, {"pp", "2"}};
    for (const WhatIfPair& pair :
         {SizeOf(four, "pp", "1", "2"),
          SizeOf(four, "tp", "1", "2"),
          SizeOf(stages, "schedule", "1f1b", "gpipe"),
          SizesOf(stages, {{"dp", "2"}, {"batch", "8"}}, {{"dp", "4"}, {"batch", "16"}})})
    {
        CAPTURE(DescribePair(pair));
        const Workload job = Shuffled(GenerateHalf(pair, pair.from));
        CheckSameJob(MakeWhatIf(job, pair.to), GenerateHalf(pair, pair.to));
        CheckSameJob(MakeWhatIf(WithNeutralNames(job), pair.to), GenerateHalf(pair, pair.to));
        Workload noted = GenerateHalf(pair, pair.from);
        for (ExecutionGraph& graph : noted.graphs)
        {
            graph = WithMetadata(graph);
        }
        CheckSameJob(MakeWhatIf(Shuffled(noted), pair.to), MakeWhatIf(noted, pair.to));
    }
}

TEST_CASE("What-if: receives far before the passes that wait for them are refused",
          "[unit][trace-tools][what-if]")
{
    const WhatIfPair pair = SizeOf({{"layers", "4"}, {"batch", "4"}, {"pp", "2"}}, "dp", "1", "2");
    Workload job = GenerateHalf(pair, pair.from);
    for (ExecutionGraph& graph : job.graphs)
    {
        graph = WithReceivesFirst(graph);
    }
    CHECK(ConfigErrorText([&] { MakeWhatIf(job, pair.to); })
              .starts_with("what-if: The ranks do not fit together: rank 0 and rank 1 hand on "
                           "messages between their passes, and both seem to be of stage 0."));
}

TEST_CASE("What-if of a listed GPT: copies gather smaller shards, and sum all gradients",
          "[unit][trace-tools][what-if]")
{
    const ListedJob recorded("stg-gpt-fsdp8");
    auto expected = SumBytes(recorded.known.job, 0);
    REQUIRE(expected.size() == 3);
    const Workload doubled = recorded.Apply("dp=16");
    CHECK(doubled.RankCount() == 16);
    expected[CollectiveType::AllGather] /= 2;
    CHECK(SumBytes(doubled, 15) == expected);
    // What updates shards has half as much to do; embedding and head are whole on each copy.
    const ExecutionGraph& before = recorded.known.job.GraphOf(RankId{0});
    const ExecutionGraph& after = doubled.GraphOf(RankId{15});
    REQUIRE(before.NodeCount() == after.NodeCount());
    std::map<std::string, std::pair<uint64_t, uint64_t>> operations;
    for (uint32_t node = 0; node < before.NodeCount(); ++node)
    {
        operations[std::string(before.Name(node))].first = before.Node(node).operations;
        operations[std::string(after.Name(node))].second = after.Node(node).operations;
    }
    for (const std::string layer : {"0", "3"})
    {
        for (const std::string kernel : {"._sharded_grad@0_COMP", "._sharded_weight@1_COMP"})
        {
            const auto [recordedCount, count] = operations.at("transformer." + layer + kernel);
            CHECK(count == recordedCount / 2);
        }
    }
    for (const std::string kernel : {"in_emb.dw@0_COMP", "in_emb.w@1_COMP", "out_emb.w@1_COMP"})
    {
        CHECK(operations.at(kernel).first == operations.at(kernel).second);
    }
}

TEST_CASE("What-if of a listed GPT: each micro-batch has its sums, which the optimizer waits for",
          "[unit][trace-tools][what-if]")
{
    const ListedJob recorded("stg-gpt-fsdp8");
    const Workload job = recorded.Apply("micro-batches=8");
    const ExecutionGraph& before = recorded.known.job.GraphOf(RankId{0});
    const ExecutionGraph& after = job.GraphOf(RankId{0});
    // Embedding and head are summed once, behind the last micro-batch.
    const auto sums = SumBytes(job, 0);
    const auto recordedSums = SumBytes(recorded.known.job, 0);
    CHECK(sums.at(CollectiveType::ReduceScatter) ==
          2 * recordedSums.at(CollectiveType::ReduceScatter));
    CHECK(sums.at(CollectiveType::AllReduce) == recordedSums.at(CollectiveType::AllReduce));
    const auto addedIn = [](const ExecutionGraph& graph)
    {
        uint32_t count = 0;
        for (uint32_t node = 0; node < graph.NodeCount(); ++node)
        {
            for (const uint32_t child : graph.Children(node))
            {
                count += graph.Name(child) == "transformer.0._sharded_grad@0_COMP" ? 1 : 0;
            }
        }
        return count;
    };
    CHECK(addedIn(before) == 4);
    CHECK(addedIn(after) == 8);
}

TEST_CASE("What-if of a listed GPT: layers are refused, as no sum stands in one",
          "[unit][trace-tools][what-if]")
{
    const ListedJob recorded("stg-gpt-dp2tp2pp2");
    const std::string text = ConfigErrorText([&] { recorded.Apply("layers=8"); });
    CHECK(text.find("sums gradients, and neither it nor another sum stands among the tasks of a "
                    "layer") != std::string::npos);
}

} // namespace nadi::test
