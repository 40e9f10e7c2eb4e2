// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/last-micro-batch.h"

#include <algorithm>
#include <cstdint>

namespace nadi
{

std::vector<bool>
FindBeforeLastMicroBatch(const ExecutionGraph& graph, const RankStructure& rank)
{
    uint32_t last = 0;
    for (const LayerRunPass& pass : rank.passes)
    {
        last = std::max(last, pass.microBatch);
    }
    // Nodes of no pass stay unmarked: what follows all passes belongs to the last micro-batch.
    std::vector<bool> isBefore(graph.NodeCount(), false);
    const auto mark = [&](const TaskList& tasks)
    {
        for (const uint32_t task : tasks)
        {
            isBefore[task] = true;
        }
    };
    for (const LayerRunPass& pass : rank.passes)
    {
        if (pass.microBatch == last)
        {
            continue;
        }
        mark(pass.before);
        mark(pass.after);
        for (const LayerPass& layer : pass.layers)
        {
            mark(layer.tasks);
            mark(layer.extra);
        }
    }
    return isBefore;
}

} // namespace nadi
