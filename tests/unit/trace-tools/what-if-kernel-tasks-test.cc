// SPDX-License-Identifier: GPL-2.0-only
// What-if: jobs with a task for each kernel, and norms, as recordings have them.
#include "tests/support/config-error-text.h"
#include "tests/support/roofline-job.h"
#include "tests/support/what-if-bench.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/what-if/graph-copy.h"
#include "workload/what-if/graph-rewriter.h"
#include "workload/what-if/what-if-settings.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nadi::test
{

namespace
{

/// Kernels of a node in the order in which a program launches them: products into a block, its
/// attention, the product out of it; gradients the other way round.
std::vector<KernelLaunch>
InLaunchOrder(const NodeCopy& copy)
{
    const auto isCore = [](const KernelLaunch& kernel)
    { return kernel.op == KernelOp::AttentionForward || kernel.op == KernelOp::AttentionBackward; };
    std::vector<KernelLaunch> kernels;
    std::ranges::remove_copy_if(copy.kernels, std::back_inserter(kernels), isCore);
    const bool isBackward = copy.name.ends_with("gradient");
    if (isBackward)
    {
        std::ranges::reverse(kernels);
    }
    const auto place = isBackward ? kernels.begin() + 1 : kernels.end() - 1;
    std::vector<KernelLaunch> core;
    std::ranges::copy_if(copy.kernels, std::back_inserter(core), isCore);
    kernels.insert(place, core.begin(), core.end());
    return kernels;
}

/// Of so many tokens.
KernelLaunch
NormOf(uint64_t rows, uint64_t width)
{
    return {.op = KernelOp::Norm,
            .m = rows,
            .n = width,
            .bytes = 4 * rows * width,
            .operations = 5 * rows * width};
}

/// What a kernel does, without its micro-batch.
std::string_view
WithoutMicroBatch(std::string_view name)
{
    const bool isOfMicroBatch = name.starts_with("micro-batch ");
    return isOfMicroBatch ? name.substr(name.find(' ', sizeof("micro-batch ")) + 1) : name;
}

/// Writes a graph with a node for each kernel. What is multiplied first in a block goes through a
/// norm, with sequence parallelism before it is gathered. Each gradient of weights is added to the
/// same one of the micro-batch before.
class KernelsApart
{
  public:
    explicit KernelsApart(const ExecutionGraph& graph)
        : m_graph(graph)
        , m_parents(FindParents(graph))
        , m_tasks(graph.NodeCount())
        , m_builder(graph.Source())
    {
        AddGroups(graph, m_builder);
    }

    ExecutionGraph Write()
    {
        for (uint32_t node = 0; node < m_graph.NodeCount(); ++node)
        {
            m_node = node;
            for (const uint32_t parent : m_parents[node])
            {
                const bool isAdded = WithoutMicroBatch(m_graph.Name(parent)) ==
                                     WithoutMicroBatch(m_graph.Name(node));
                (isAdded ? m_addedTo : m_after)
                    .push_back(isAdded ? parent : m_tasks[parent].back());
            }
            WriteNode(node);
            m_after.clear();
            m_addedTo.clear();
        }
        return m_builder.Build();
    }

  private:
    void WriteNode(uint32_t node)
    {
        const NodeCopy copy = CopyNode(m_graph, node);
        if (HasNorm(node) && !(node > 0 && IsInputGather(node - 1)))
        {
            const KernelLaunch product = InLaunchOrder(copy).front();
            WriteKernel(copy, NormOf(product.m, product.k));
        }
        if (IsInputGather(node))
        {
            const uint64_t width = InLaunchOrder(CopyNode(m_graph, node + 1)).front().k;
            WriteKernel(CopyNode(m_graph, node + 1), NormOf(copy.node.size / (2 * width), width));
        }
        if (copy.kernels.size() < 2)
        {
            return WriteTask(copy);
        }
        for (const KernelLaunch& kernel : InLaunchOrder(copy))
        {
            WriteKernel(copy, kernel);
        }
    }

    /// Forward, of a block with several products or of a router. Tokens go to experts behind the
    /// norm of their router.
    bool HasNorm(uint32_t node) const
    {
        const std::vector<KernelLaunch>& kernels = m_graph.KernelsOf(m_graph.Node(node));
        const bool isRouter = !kernels.empty() && kernels.front().op == KernelOp::Router;
        const bool isBlock = kernels.size() > 1 && kernels.front().op != KernelOp::GroupedGemm;
        return (isRouter || isBlock) && !m_graph.Name(node).ends_with("gradient");
    }

    /// Of a tensor group, before a forward block.
    bool IsInputGather(uint32_t node) const
    {
        const ExecutionNode& call = m_graph.Node(node);
        return call.type == NodeType::Collective && call.collective == CollectiveType::AllGather &&
               m_graph.GroupNames()[call.group] == "tp" && node + 1 < m_graph.NodeCount() &&
               HasNorm(node + 1);
    }

    void WriteKernel(NodeCopy part, const KernelLaunch& kernel)
    {
        part.kernels = {kernel};
        part.node.operations = kernel.operations;
        part.node.size = kernel.bytes;
        WriteTask(std::move(part));
    }

    void WriteTask(NodeCopy part)
    {
        part.node.id = m_next++;
        const uint64_t id = part.node.id;
        for (const uint64_t node : m_addedTo)
        {
            m_after.push_back(m_tasks[node][m_tasks[m_node].size()]);
        }
        m_tasks[m_node].push_back(id);
        AddCopy(std::move(part), m_after, m_builder);
        m_after = {id};
    }

    const ExecutionGraph& m_graph;
    std::vector<std::vector<uint32_t>> m_parents;
    std::vector<std::vector<uint64_t>> m_tasks; ///< by node: the ids
    uint32_t m_node = 0;                        ///< that is written
    std::vector<uint64_t> m_after;
    std::vector<uint64_t> m_addedTo; ///< nodes
    uint64_t m_next = 0;
    ExecutionGraphBuilder m_builder;
};

Workload
GenerateApart(const WhatIfPair& pair, const ModelValues& half)
{
    Workload job = GenerateHalf(pair, half);
    for (ExecutionGraph& graph : job.graphs)
    {
        graph = KernelsApart(graph).Write();
    }
    return job;
}

const std::vector<WhatIfPair>&
ApartPairs()
{
    static const std::vector<WhatIfPair> pairs{
        SizeOf({}, "hidden", "64", "96"),
        SizeOf({{"mlp", "gated"}, {"kv-heads", "2"}}, "ffn", "192", "320"),
        SizeOf({{"recompute", "full"}}, "sequence", "32", "48"),
        SizeOf({{"zero", "3"}}, "tp", "2", "4"),
        SizeOf({{"pp", "2"}, {"layers", "4"}}, "tp", "4", "2"),
    };
    return pairs;
}

const std::vector<WhatIfPair>&
ApartTensorPairs()
{
    static const std::vector<WhatIfPair> pairs{
        SizeOf({}, "tp", "1", "2"),
        SizeOf({{"mlp", "gated"}, {"kv-heads", "4"}, {"pp", "2"}, {"layers", "4"}}, "tp", "1", "4"),
        SizeOf({{"recompute", "full"}}, "tp", "2", "1"),
        SizeOf({{"recompute", "selective"}, {"zero", "3"}}, "tp", "1", "2"),
        SizeOf({{"tied-embeddings", "off"}, {"schedule", "gpipe"}, {"pp", "2"}, {"layers", "4"}},
               "tp",
               "1",
               "2"),
        SizesOf({}, {{"tp", "1"}, {"sp", "off"}}, {{"tp", "2"}, {"sp", "on"}}),
        SizesOf({{"pp", "2"}, {"layers", "4"}, {"recompute", "full"}, {"mlp", "gated"}},
                {{"tp", "1"}, {"sp", "off"}},
                {{"tp", "4"}, {"sp", "on"}}),
        SizeOf({{"tp", "2"}}, "sp", "off", "on"),
        SizeOf({{"tp", "4"}, {"pp", "2"}, {"layers", "4"}, {"zero", "1"}}, "sp", "on", "off"),
        SizesOf({{"pp", "2"}, {"layers", "4"}},
                {{"tp", "1"}, {"sp", "off"}, {"hidden", "64"}},
                {{"tp", "2"}, {"sp", "on"}, {"hidden", "96"}}),
        SizesOf({},
                {{"tp", "1"}, {"dp", "2"}, {"batch", "4"}, {"layers", "3"}},
                {{"tp", "2"}, {"dp", "4"}, {"batch", "8"}, {"layers", "5"}}),
    };
    return pairs;
}

/// Stages, passes, layers and copies.
const std::vector<WhatIfPair>&
ApartStagePairs()
{
    const ModelValues four{{"layers", "4"}, {"batch", "8"}};
    static const std::vector<WhatIfPair> pairs{
        SizeOf(four, "pp", "1", "2"),
        SizeOf({{"layers", "8"}, {"batch", "8"}}, "pp", "4", "2"),
        SizeOf({{"layers", "4"}, {"pp", "2"}, {"batch", "8"}}, "schedule", "1f1b", "gpipe"),
        SizesOf({{"layers", "8"}, {"batch", "8"}, {"tp", "2"}},
                {{"pp", "2"}, {"schedule", "1f1b"}},
                {{"pp", "2"}, {"schedule", "interleaved"}, {"chunks", "2"}}),
        SizesOf({{"pp", "2"}, {"tp", "2"}, {"sp", "on"}, {"batch", "8"}},
                {{"layers", "4"}},
                {{"layers", "8"}}),
        SizesOf({{"zero", "1"}, {"recompute", "full"}, {"pp", "2"}, {"layers", "4"}},
                {{"dp", "2"}, {"batch", "8"}},
                {{"dp", "4"}, {"batch", "16"}}),
    };
    return pairs;
}

/// Experts of eight that are spread anew.
const std::vector<WhatIfPair>&
ApartExpertPairs()
{
    const auto spread = [](ModelValues values, const std::string& from, const std::string& to)
    {
        values.merge(ModelValues{{"experts", "8"}, {"top-k", "2"}, {"dp", "4"}, {"batch", "8"}});
        return SizeOf(std::move(values), "ep", from, to);
    };
    static const std::vector<WhatIfPair> pairs{
        spread({}, "1", "2"),
        spread({{"mlp", "gated"}, {"tp", "2"}, {"sp", "on"}}, "1", "4"),
        spread({{"pp", "2"}, {"layers", "4"}, {"recompute", "full"}}, "2", "1"),
        spread({{"zero", "3"}, {"shared-experts", "1"}}, "2", "4"),
    };
    return pairs;
}

/// Each task waits for the one before alone, as on one stream.
ExecutionGraph
OnOneStream(const ExecutionGraph& graph)
{
    ExecutionGraphBuilder builder(graph.Source());
    AddGroups(graph, builder);
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        std::vector<uint64_t> after;
        if (node > 0)
        {
            after.push_back(graph.Node(node - 1).id);
        }
        NodeCopy copy = CopyNode(graph, node);
        copy.node.stream = 7;
        AddCopy(std::move(copy), after, builder);
    }
    return builder.Build();
}

/// The two products of the gradient of the inputs of an MLP or of experts change places.
ExecutionGraph
WithGradientsSwapped(const ExecutionGraph& graph, const std::string& block)
{
    const auto isGradient = [&](uint32_t node)
    { return graph.Name(node).ends_with(block + " input gradient"); };
    return ChangeNodes(graph,
                       [&](uint32_t node, NodeCopy& copy)
                       {
                           if (isGradient(node))
                           {
                               const uint32_t other = isGradient(node + 1) ? node + 1 : node - 1;
                               copy.kernels = graph.KernelsOf(graph.Node(other));
                           }
                       });
}

/// Of sizes at which kernels take microseconds.
const std::vector<WhatIfPair>&
TimedApartPairs()
{
    const ModelValues large = LargeSizes();
    static const std::vector<WhatIfPair> pairs{
        SizeOf(large, "tp", "1", "2"),
        SizesOf(large, {{"tp", "1"}, {"sp", "off"}}, {{"tp", "4"}, {"sp", "on"}}),
    };
    return pairs;
}

/// Checks each pair there, back, and there without names.
void
CheckApart(const std::vector<WhatIfPair>& pairs)
{
    for (size_t i = 0; i < pairs.size(); ++i)
    {
        CAPTURE(i);
        const WhatIfPair& pair = pairs[i];
        const Workload before = GenerateApart(pair, pair.from);
        const Workload after = GenerateApart(pair, pair.to);
        const Workload made = MakeWhatIf(before, pair.to);
        CheckSameJob(made, after);
        CheckSameJob(MakeWhatIf(made, pair.from), before);
        CheckSameJob(MakeWhatIf(WithNeutralNames(before), pair.to), after);
    }
}

} // namespace

TEST_CASE("What-if: jobs with a task for each kernel, and norms, are told by the same places",
          "[unit][what-if][shapes]")
{
    for (const WhatIfPair& pair : ApartPairs())
    {
        CAPTURE(pair.to.begin()->first);
        const Workload before = GenerateApart(pair, pair.from);
        const Workload after = GenerateApart(pair, pair.to);
        const Workload made = MakeWhatIf(before, pair.to);
        CheckSameJob(made, after);
        CheckSameJob(MakeWhatIf(made, pair.from), before);
    }
}

TEST_CASE("What-if: a task for each kernel has its tensor group's calls put in and taken out",
          "[unit][what-if][shapes]")
{
    CheckApart(ApartTensorPairs());
}

TEST_CASE("What-if: jobs with a task for each kernel get other stages, passes, layers and copies",
          "[unit][what-if]")
{
    CheckApart(ApartStagePairs());
    const WhatIfPair passes = SizeOf({{"layers", "4"}, {"pp", "2"}}, "batch", "8", "16");
    const Workload job = GenerateApart(passes, passes.from);
    const JobStructure structure = FindStructure(job, {}, {});
    CheckSameJob(ApplyWhatIf(job, structure, ParseWhatIf({"micro-batches=8"})).job,
                 GenerateApart(passes, passes.to));
}

TEST_CASE("What-if: a task for each kernel has the experts' calls put in and taken out",
          "[unit][what-if][shapes]")
{
    CheckApart(ApartExpertPairs());
}

TEST_CASE("What-if: kernels of their own take what one roofline gives them on tensor ranks",
          "[unit][what-if][shapes]")
{
    for (const WhatIfPair& pair : TimedApartPairs())
    {
        const Workload before = WithRooflineTimes(GenerateApart(pair, pair.from));
        const Workload after = WithRooflineTimes(GenerateApart(pair, pair.to));
        const Workload made = MakeWhatIf(before, pair.to);
        CheckSameJob(made, after);
        CheckDurations(made, after);
    }
}

TEST_CASE("What-if: on one stream, what follows a sum waits for it, but for gradients of weights",
          "[unit][what-if][shapes]")
{
    const WhatIfPair pair = SizesOf({}, {{"dp", "1"}, {"tp", "1"}}, {{"tp", "2"}});
    Workload job = GenerateApart(pair, pair.from);
    job.graphs.front() = OnOneStream(job.graphs.front());
    const Workload made = MakeWhatIf(job, pair.to);
    const ExecutionGraph& graph = made.GraphOf(RankId{0});
    const std::vector<std::vector<uint32_t>> parents = FindParents(graph);
    size_t sums = 0;
    for (uint32_t node = 0; node + 2 < graph.NodeCount(); ++node)
    {
        if (!graph.Name(node).ends_with(" sum") || graph.Name(node).ends_with("loss sum"))
        {
            continue;
        }
        CAPTURE(node, graph.Name(node));
        ++sums;
        CHECK(parents[node] == std::vector{node - 1});
        CHECK(graph.Node(node).stream == 0);
        const auto waits = [&](uint32_t child)
        { return std::ranges::find(parents[child], node) != parents[child].end(); };
        uint32_t next = node + 1;
        while (graph.Name(next).ends_with("weight gradient") &&
               !graph.Name(next).ends_with("embedding weight gradient"))
        {
            CHECK(!waits(next++));
        }
        CHECK(waits(next));
    }
    // Forward and backward of two blocks of each layer, of the embedding, and of the head.
    CHECK(sums % (3 * 4 + 2) == 0);
    CHECK(sums > 0);
}

TEST_CASE("What-if: products of a block in another order are refused where calls are put in",
          "[unit][what-if][shapes]")
{
    const WhatIfPair pair = SizesOf({}, {{"dp", "1"}, {"tp", "1"}}, {{"tp", "2"}});
    Workload job = GenerateApart(pair, pair.from);
    job.graphs.front() = WithGradientsSwapped(job.graphs.front(), "mlp");
    const std::string text = ConfigErrorText([&] { MakeWhatIf(job, pair.to); });
    CHECK(text.find("is of a block whose products stand in another order than its layers have, so "
                    "where its communication would stand is unknown; a recording of two or more "
                    "tensor-parallel ranks shows it") != std::string::npos);
}

TEST_CASE("What-if: products of experts in another order are refused where exchanges are put in",
          "[unit][what-if][shapes]")
{
    const WhatIfPair& pair = ApartExpertPairs().front();
    Workload job = GenerateApart(pair, pair.from);
    job.graphs.front() = WithGradientsSwapped(job.graphs.front(), "experts");
    const std::string text = ConfigErrorText([&] { MakeWhatIf(job, pair.to); });
    CHECK(text.starts_with("what-if: ep: transformer stage 0: task "));
    CHECK(text.find("is of experts whose products stand in another order than their layers have, "
                    "so where tokens would be exchanged is unknown; a recording of experts on two "
                    "or more ranks shows it") != std::string::npos);
}

} // namespace nadi::test
