// SPDX-License-Identifier: GPL-2.0-only
// What-if: jobs that clip their gradients. Behind the sums of gradients a kernel works out their
// norm, all copies sum it, and the optimizer waits for the sum.
#include "tests/support/what-if-bench.h"
#include "workload/what-if/graph-copy.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace nadi::test
{

namespace
{

/// What the norm is worked out with, by a parameter, where the optimizer has so many operations.
constexpr uint64_t LESS_THAN_OPTIMIZER = 12;

/// What the norm is summed over, and what waits for it.
struct NormUse
{
    bool isOnStream = false;   ///< the optimizer waits for the kernel as well
    bool isOfAllRanks = false; ///< and not of those that sum the last gradients
};

class GraphWithNorm
{
  public:
    GraphWithNorm(const ExecutionGraph& graph, NormUse use)
        : m_graph(graph)
        , m_use(use)
        , m_builder(graph.Source())
    {
        AddGroups(graph, m_builder);
    }

    ExecutionGraph Make()
    {
        const std::vector<std::vector<uint32_t>> parents = FindParents(m_graph);
        for (uint32_t node = 0; node < m_graph.NodeCount(); ++node)
        {
            std::vector<uint64_t> after;
            for (const uint32_t parent : parents[node])
            {
                after.push_back(IdOf(parent));
            }
            NodeCopy copy = CopyNode(m_graph, node);
            copy.node.id = IdOf(node);
            m_sums = IsSum(copy.node) ? copy.node.group : m_sums;
            AddCopy(copy, copy.name == "optimizer" ? AddNorm(copy, after) : after, m_builder);
        }
        return m_builder.Build();
    }

  private:
    uint64_t IdOf(uint32_t node) const
    {
        return 4 * m_graph.Node(node).id + 2; // room for the norm
    }

    static bool IsSum(const ExecutionNode& node)
    {
        return node.type == NodeType::Collective &&
               (node.collective == CollectiveType::AllReduce ||
                node.collective == CollectiveType::ReduceScatter);
    }

    /// What the optimizer waits for then.
    std::vector<uint64_t> AddNorm(NodeCopy optimizer, const std::vector<uint64_t>& after)
    {
        const uint64_t id = optimizer.node.id;
        optimizer.node.id = id - 2;
        optimizer.node.operations /= LESS_THAN_OPTIMIZER;
        optimizer.kernels.clear();
        optimizer.name = "norm of gradients";
        AddCopy(optimizer, after, m_builder);
        m_builder.AddNode({.id = id - 1,
                           .size = 4,
                           .group = m_use.isOfAllRanks ? 0 : m_sums,
                           .type = NodeType::Collective,
                           .collective = CollectiveType::AllReduce},
                          "sum of norms",
                          {id - 2});
        return m_use.isOnStream ? std::vector<uint64_t>{id - 2, id - 1}
                                : std::vector<uint64_t>{id - 1};
    }

    const ExecutionGraph& m_graph;
    NormUse m_use;
    ExecutionGraphBuilder m_builder;
    uint32_t m_sums = 0; ///< the group of the last sum of gradients
};

Workload
WithNorms(Workload job, NormUse use)
{
    for (ExecutionGraph& graph : job.graphs)
    {
        graph = GraphWithNorm(graph, use).Make();
    }
    return job;
}

} // namespace

TEST_CASE("What-if: norms of gradients change as the parameters that a rank updates",
          "[unit][trace-tools][what-if]")
{
    for (const std::string zero : {"0", "1", "2", "3"})
    {
        for (const WhatIfPair& pair :
             {SizeOf({{"zero", zero}, {"dp", "2"}, {"batch", "4"}}, "layers", "4", "8"),
              SizesOf({{"zero", zero}, {"layers", "4"}},
                      {{"dp", "2"}, {"batch", "4"}},
                      {{"dp", "4"}, {"batch", "8"}}),
              SizeOf({{"zero", zero}, {"layers", "4"}, {"dp", "2"}, {"batch", "4"}},
                     "hidden",
                     "64",
                     "128")})
        {
            for (const bool isOnStream : {false, true})
            {
                CAPTURE(DescribePair(pair), isOnStream);
                const Workload from = WithNorms(GenerateHalf(pair, pair.from), {isOnStream});
                const Workload to = WithNorms(GenerateHalf(pair, pair.to), {isOnStream});
                CheckSameJob(MakeWhatIf(from, pair.to), to);
                CheckSameJob(MakeWhatIf(WithNeutralNames(from), pair.to), to);
            }
        }
    }
}

// Megatron sums the norm over all ranks of a copy.
TEST_CASE("What-if: a norm that all stages sum makes them no copies",
          "[unit][trace-tools][what-if]")
{
    for (const WhatIfPair& pair :
         {SizesOf({{"pp", "4"}, {"layers", "8"}},
                  {{"dp", "1"}, {"batch", "8"}},
                  {{"dp", "2"}, {"batch", "16"}}),
          SizesOf({{"layers", "4"}}, {{"dp", "1"}, {"batch", "4"}}, {{"dp", "2"}, {"batch", "8"}}),
          SizeOf({{"pp", "3"}, {"batch", "6"}}, "layers", "6", "12"),
          SizeOf(
              {{"pp", "4"}, {"tp", "2"}, {"layers", "8"}, {"batch", "8"}}, "hidden", "64", "128")})
    {
        CAPTURE(DescribePair(pair));
        const NormUse use{.isOnStream = false, .isOfAllRanks = true};
        CheckSameJob(MakeWhatIf(WithNorms(GenerateHalf(pair, pair.from), use), pair.to),
                     WithNorms(GenerateHalf(pair, pair.to), use));
    }
}

// The last sum before the optimizer is that of the matrix that first and last stage share.
TEST_CASE("What-if: a norm that two stages sum is no shard of their matrix",
          "[unit][trace-tools][what-if]")
{
    for (const std::string zero : {"0", "1", "2", "3"})
    {
        const WhatIfPair pair =
            SizesOf({{"pp", "2"}, {"layers", "4"}, {"zero", zero}, {"tied-embeddings", "on"}},
                    {{"dp", "2"}, {"batch", "8"}},
                    {{"dp", "4"}, {"batch", "16"}});
        CAPTURE(DescribePair(pair));
        CheckSameJob(MakeWhatIf(WithNorms(GenerateHalf(pair, pair.from), {}), pair.to),
                     WithNorms(GenerateHalf(pair, pair.to), {}));
    }
}

} // namespace nadi::test
