// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/tied-sums.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

namespace nadi
{

namespace
{

bool
IsSumOfGradients(const TaskMeaning& meaning, const ExecutionNode& task)
{
    return meaning.amount.kind == AmountKind::Parameters && task.type == NodeType::Collective &&
           task.collective != CollectiveType::AllGather;
}

/// Of the gradients that the rank sums with its copies; 0: it sums none.
uint64_t
FindGradientBytes(const ExecutionGraph& graph,
                  const RankStructure& rank,
                  const RankMeaning& meaning,
                  const ShapeSizes& part)
{
    // Norms, biases and positions are not counted, so a sum has more bytes for each number that is.
    // The sum with the fewest of them is nearest to the truth, and numbers have 1, 2, 4 or 8 bytes.
    uint64_t least = std::numeric_limits<uint64_t>::max();
    for (const uint32_t node : rank.tasks)
    {
        const ExecutionNode& task = graph.Node(node);
        if (IsSumOfGradients(meaning.tasks[node], task))
        {
            const uint64_t count = meaning.tasks[node].amount.Count(part, {});
            least = std::min(least, task.size / std::max<uint64_t>(count, 1));
        }
    }
    return least == std::numeric_limits<uint64_t>::max() ? 0 : std::bit_floor(least);
}

} // namespace

void
FindWholeTiedSums(const Workload& job, const JobStructure& structure, ShapeReading& reading)
{
    for (const RankStructure& rank : structure.ranks)
    {
        if (rank.sameAs != rank.rank)
        {
            continue;
        }
        const ExecutionGraph& graph = job.GraphOf(RankId{rank.rank});
        const ShapeSizes& part = reading.PartOf(rank.rank);
        RankMeaning& meaning = reading.jobs.at(job.graphOfRank[rank.rank]);
        const uint64_t bytes = FindGradientBytes(graph, rank, meaning, part);
        for (const uint32_t node : rank.tasks)
        {
            Amount& amount = meaning.tasks[node].amount;
            Amount whole = amount;
            whole.copies = 1;
            if (amount.kind == AmountKind::EmbeddingMatrix &&
                graph.Node(node).size == bytes * whole.Count(part, {}))
            {
                amount = whole;
            }
        }
    }
}

} // namespace nadi
