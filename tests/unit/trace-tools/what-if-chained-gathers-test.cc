// SPDX-License-Identifier: GPL-2.0-only
// What-if: gathers behind the optimizer that wait for one another, as on one stream of an
// accelerator.
#include "tests/support/what-if-bench.h"
#include "workload/what-if/graph-copy.h"

#include <catch2/catch.hpp>

#include <optional>

namespace nadi::test
{

namespace
{

/// Each all-gather waits for the one before it, too.
ExecutionGraph
ChainGathers(const ExecutionGraph& graph)
{
    ExecutionGraphBuilder builder(graph.Source());
    AddGroups(graph, builder);
    const auto parents = FindParents(graph);
    std::optional<uint64_t> last;
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        std::vector<uint64_t> after;
        for (const uint32_t parent : parents[node])
        {
            after.push_back(graph.Node(parent).id);
        }
        const bool isGather = graph.Node(node).type == NodeType::Collective &&
                              graph.Node(node).collective == CollectiveType::AllGather;
        if (isGather && last)
        {
            after.push_back(*last);
        }
        last = isGather ? graph.Node(node).id : last;
        AddCopy(CopyNode(graph, node), after, builder);
    }
    return builder.Build();
}

Workload
GenerateChained(const WhatIfPair& pair, const ModelValues& half)
{
    Workload job = GenerateHalf(pair, half);
    for (ExecutionGraph& graph : job.graphs)
    {
        graph = ChainGathers(graph);
    }
    return job;
}

WhatIfPair
Sharded(ModelValues values, ModelValues from, ModelValues to)
{
    values.merge(ModelValues{{"dp", "2"}, {"batch", "8"}, {"zero", "1"}});
    return {std::move(values), std::move(from), std::move(to)};
}

} // namespace

TEST_CASE("What-if: gathers in a chain stay in one, with more layers and fewer",
          "[unit][trace-tools]")
{
    for (const WhatIfPair& pair :
         {Sharded({}, {{"layers", "4"}}, {{"layers", "6"}}),
          Sharded({}, {{"layers", "6"}}, {{"layers", "3"}}),
          Sharded({{"bucket", "150 KB"}}, {{"layers", "6"}}, {{"layers", "9"}})})
    {
        CAPTURE(DescribePair(pair));
        CheckSameJob(MakeWhatIf(GenerateChained(pair, pair.from), pair.to),
                     GenerateChained(pair, pair.to));
    }
}

TEST_CASE("What-if: gathers in a chain stay in one where buckets are made and taken apart",
          "[unit][trace-tools]")
{
    for (const std::string bucket : {"150 KB", "190 KB", "1 GB"})
    {
        const WhatIfPair pair = Sharded({{"layers", "6"}}, {}, {{"bucket", bucket}});
        CAPTURE(DescribePair(pair));
        CheckSameJob(MakeWhatIf(GenerateChained(pair, pair.from), pair.to),
                     GenerateChained(pair, pair.to));
        if (bucket == "1 GB")
        {
            continue; // one sum does not tell what each layer has
        }
        const WhatIfPair back =
            Sharded({{"layers", "6"}}, {{"bucket", bucket}}, {{"bucket", "1 B"}});
        CheckSameJob(MakeWhatIf(GenerateChained(back, back.from), back.to),
                     GenerateChained(back, {{"bucket", "0 B"}}));
    }
}

} // namespace nadi::test
