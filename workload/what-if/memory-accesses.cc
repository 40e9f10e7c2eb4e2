// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/memory-accesses.h"

#include "common/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

void
CheckAccessesNothing(const Workload& job, const std::string& edit, const std::string& unknown)
{
    const auto isAccess = [](const ExecutionNode& node)
    { return node.type == NodeType::MemoryLoad || node.type == NodeType::MemoryStore; };
    for (const ExecutionGraph& graph : job.graphs)
    {
        const auto access = std::ranges::find_if(graph.Nodes(), isAccess);
        if (access != graph.Nodes().end())
        {
            throw ConfigError(edit,
                              fmt::format("node {} of {} is an access to memory; {}",
                                          access->id,
                                          graph.Source(),
                                          unknown));
        }
    }
}

} // namespace nadi
