// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/what-if-bench.h"

#include "workload/execution-graph-builder.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/tools/structure/task-order.h"
#include "workload/what-if/graph-copy.h"
#include "workload/what-if/graph-rewriter.h"
#include "workload/what-if/what-if-settings.h"

#include <catch2/catch.hpp>

#include <cstddef>
#include <numeric>
#include <random>
#include <utility>

namespace nadi::test
{

namespace
{

/// What a task does, and the numbers of those that it waits for: all that a simulation looks at.
std::vector<std::string>
DescribeTasks(const Workload& job, uint32_t rank)
{
    const ExecutionGraph& graph = job.GraphOf(RankId{rank});
    std::vector<std::string> tasks;
    for (const ExecutionNode& node : graph.Nodes())
    {
        std::string text = "type " + std::to_string(static_cast<int>(node.type)) + " of " +
                           std::to_string(node.size) + " B, " + std::to_string(node.operations) +
                           " operations";
        if (node.type == NodeType::Collective)
        {
            text += " on";
            const CommunicatorId group = job.communicatorOfGroup[rank][node.group];
            for (const RankId member : job.communicators[group.value].ranks)
            {
                text += " " + std::to_string(member.value);
            }
        }
        else if (node.type == NodeType::Send || node.type == NodeType::Receive)
        {
            text += " with " + std::to_string(job.PeerOf(RankId{rank}, node).value);
        }
        text += " " + ToText(graph.KernelsOf(node));
        tasks.push_back(text);
    }
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        for (const uint32_t child : graph.Children(node))
        {
            tasks[child] += ", after " + std::to_string(node);
        }
    }
    return tasks;
}

/// Requires: the jobs are the same but for names.
void
CheckSameNames(const Workload& made, const Workload& expected)
{
    for (uint32_t rank = 0; rank < made.RankCount(); ++rank)
    {
        CAPTURE(rank);
        const ExecutionGraph& graph = made.GraphOf(RankId{rank});
        for (uint32_t node = 0; node < graph.NodeCount(); ++node)
        {
            REQUIRE(graph.Name(node) == expected.GraphOf(RankId{rank}).Name(node));
        }
    }
}

} // namespace

std::string
DescribePair(const WhatIfPair& pair)
{
    std::string text;
    for (const ModelValues* values : {&pair.values, &pair.from, &pair.to})
    {
        for (const auto& [key, value] : *values)
        {
            text += key + "=" + value + " ";
        }
        text += "| ";
    }
    return text;
}

WhatIfPair
PairBeside(ModelValues defaults, ModelValues values, ModelValues from, ModelValues to)
{
    values.merge(std::move(defaults));
    for (const ModelValues* half : {&from, &to})
    {
        for (const auto& [key, value] : *half)
        {
            values.erase(key);
        }
    }
    return {std::move(values), std::move(from), std::move(to)};
}

WhatIfPair
SizesOf(ModelValues values, ModelValues from, ModelValues to)
{
    return PairBeside({{"layers", "3"}, {"dp", "2"}, {"batch", "4"}, {"ffn", "192"}},
                      std::move(values),
                      std::move(from),
                      std::move(to));
}

WhatIfPair
SizeOf(ModelValues values, const std::string& key, const std::string& from, const std::string& to)
{
    return SizesOf(std::move(values), {{key, from}}, {{key, to}});
}

ModelValues
LargeSizes()
{
    return {{"hidden", "1024"},
            {"heads", "16"},
            {"sequence", "512"},
            {"vocabulary", "8192"},
            {"ffn", "4096"}};
}

Workload
GenerateHalf(const WhatIfPair& pair, const ModelValues& half)
{
    ModelValues values = pair.values;
    values.merge(ModelValues(half));
    values.erase("micro-batches"); // they follow from the batch
    values.merge(ModelValues{{"hidden", "64"},
                             {"heads", "4"},
                             {"sequence", "32"},
                             {"vocabulary", "128"},
                             {"micro-batch", "1"}});
    uint32_t ranks = 1;
    for (const std::string axis : {"tp", "cp", "pp", "dp"})
    {
        ranks *= values.contains(axis) ? static_cast<uint32_t>(std::stoul(values[axis])) : 1;
    }
    return MakeModelJob("transformer", values, {ranks});
}

WhatIf
WishOf(const ModelValues& to)
{
    std::vector<std::string> settings;
    for (const auto& [key, value] : to)
    {
        if (key != "batch")
        {
            settings.push_back(key + "=" + value);
        }
    }
    return ParseWhatIf(settings);
}

Workload
WithNeutralNames(Workload job)
{
    for (ExecutionGraph& graph : job.graphs)
    {
        ExecutionGraphBuilder builder("anonymous");
        for (size_t group = 1; group < graph.GroupNames().size(); ++group)
        {
            builder.AddGroup(graph.GroupNames()[group]);
        }
        std::vector<std::vector<uint64_t>> parents(graph.NodeCount());
        for (uint32_t node = 0; node < graph.NodeCount(); ++node)
        {
            for (const uint32_t child : graph.Children(node))
            {
                parents[child].push_back(graph.Node(node).id);
            }
        }
        for (uint32_t index = 0; index < graph.NodeCount(); ++index)
        {
            ExecutionNode node = graph.Node(index);
            node.peer = node.type == NodeType::Compute ? 0 : node.peer;
            builder.AddNode(node, "compute_" + std::to_string(index + 1), parents[index]);
            if (!graph.KernelsOf(graph.Node(index)).empty())
            {
                builder.SetKernels(graph.KernelsOf(graph.Node(index)));
            }
        }
        graph = builder.Build();
    }
    return job;
}

Workload
WithoutSome(Workload job, const std::function<bool(const KernelLaunch&)>& isGone)
{
    for (ExecutionGraph& graph : job.graphs)
    {
        ExecutionGraphBuilder builder(graph.Source());
        AddGroups(graph, builder);
        const std::vector<std::vector<uint32_t>> parents = FindParents(graph);
        for (uint32_t node = 0; node < graph.NodeCount(); ++node)
        {
            NodeCopy copy = CopyNode(graph, node);
            std::erase_if(copy.kernels, isGone);
            AddCopy(std::move(copy),
                    std::vector<uint64_t>(parents[node].begin(), parents[node].end()),
                    builder);
        }
        graph = builder.Build();
    }
    return job;
}

Workload
WithoutKernels(Workload job)
{
    return WithoutSome(std::move(job), [](const KernelLaunch&) { return true; });
}

Workload
WithoutNamesOfAllRanks(Workload job)
{
    for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
    {
        ExecutionGraph& graph = job.graphs[job.graphOfRank[rank]];
        graph = ChangeNodes(graph,
                            [&](uint32_t, NodeCopy& copy)
                            {
                                const uint32_t group = copy.node.group;
                                const bool isOfAll =
                                    job.communicatorOfGroup[rank][group].value == 0;
                                copy.node.group = isOfAll ? 0 : group;
                            });
    }
    return job;
}

void
CheckSameJob(const Workload& made, const Workload& expected)
{
    REQUIRE(made.RankCount() == expected.RankCount());
    for (uint32_t rank = 0; rank < made.RankCount(); ++rank)
    {
        CAPTURE(rank);
        const std::vector<std::string> tasks = DescribeTasks(made, rank);
        const std::vector<std::string> others = DescribeTasks(expected, rank);
        REQUIRE(tasks.size() == others.size());
        for (size_t task = 0; task < tasks.size(); ++task)
        {
            CAPTURE(task);
            REQUIRE(tasks[task] == others[task]);
        }
    }
}

Workload
Shuffled(const Workload& job)
{
    Workload shuffled = job;
    shuffled.graphs.clear();
    for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
    {
        const ExecutionGraph& graph = job.GraphOf(RankId{rank});
        std::vector<uint32_t> order(graph.NodeCount());
        std::iota(order.begin(), order.end(), 0);
        std::mt19937 draws(rank);
        for (size_t left = order.size(); left > 1; --left)
        {
            std::swap(order[left - 1], order[draws() % left]);
        }
        shuffled.graphs.push_back(graph.InOrder(order));
        shuffled.graphOfRank[rank] = rank;
    }
    return shuffled;
}

Workload
MakeWhatIf(Workload job, const ModelValues& to)
{
    for (ExecutionGraph& graph : job.graphs)
    {
        RecordedOrder order;
        PutInProgramOrder(graph, order);
    }
    return ApplyWhatIf(job, FindStructure(job, {}, {}), WishOf(to)).job;
}

void
CheckDurations(const Workload& made, const Workload& expected)
{
    REQUIRE(made.RankCount() == expected.RankCount());
    for (uint32_t rank = 0; rank < made.RankCount(); ++rank)
    {
        const ExecutionGraph& graph = made.GraphOf(RankId{rank});
        const ExecutionGraph& other = expected.GraphOf(RankId{rank});
        REQUIRE(graph.NodeCount() == other.NodeCount());
        for (uint32_t node = 0; node < graph.NodeCount(); ++node)
        {
            CAPTURE(rank, node, graph.Name(node));
            const auto nanos = [node](const ExecutionGraph& one)
            { return static_cast<double>(one.Node(node).durationPs) / 1000; };
            CHECK(nanos(graph) == Approx(nanos(other)).epsilon(0.01).margin(1));
        }
    }
}

void
CheckPairs(const std::vector<WhatIfPair>& pairs)
{
    for (const WhatIfPair& pair : pairs)
    {
        CAPTURE(DescribePair(pair));
        const Workload before = GenerateHalf(pair, pair.from);
        const Workload after = GenerateHalf(pair, pair.to);
        const Workload made = MakeWhatIf(before, pair.to);
        CheckSameJob(made, after);
        CheckSameNames(made, after);
        CheckSameJob(MakeWhatIf(made, pair.from), before);
        const Workload anonymous = WithNeutralNames(WithoutNamesOfAllRanks(before));
        CheckSameJob(MakeWhatIf(anonymous, pair.to), after);
    }
}

} // namespace nadi::test
