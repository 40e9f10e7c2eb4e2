// SPDX-License-Identifier: GPL-2.0-only
#include "workload/job-limits.h"

#include "common/error.h"
#include "workload/workload.h"

#include <fmt/format.h>

namespace nadi
{

void
CheckNodesOfRanks(const Workload& workload, const std::string& where)
{
    uint64_t nodes = 0; // at most 2^32 graphs of 2^32 nodes
    for (const uint32_t graph : workload.graphOfRank)
    {
        nodes += workload.graphs[graph].NodeCount();
    }
    if (nodes > MOST_NODES_OF_RANKS)
    {
        throw ConfigError(
            where,
            fmt::format("workload: the {} ranks have {} nodes together, more than {}; "
                        "write fewer ranks, or a smaller job",
                        workload.RankCount(),
                        nodes,
                        MOST_NODES_OF_RANKS));
    }
}

} // namespace nadi
