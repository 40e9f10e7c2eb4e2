// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/host/kernel-launches.h"

#include <algorithm>

namespace nadi
{

std::vector<uint32_t>
FindLaunches(const ExecutionGraph& graph,
             const std::vector<std::vector<uint32_t>>& parents,
             uint32_t kernel)
{
    const auto isOfHost = [&](uint32_t node) { return graph.Node(node).isCpu; };
    std::vector<uint32_t> launches;
    for (const uint32_t parent : parents[kernel])
    {
        const bool launchesOnly =
            isOfHost(parent) &&
            std::ranges::all_of(graph.Children(parent),
                                [&](uint32_t child) { return child == kernel || isOfHost(child); });
        if (launchesOnly && std::ranges::all_of(parents[parent], isOfHost))
        {
            launches.push_back(parent);
        }
    }
    return launches;
}

} // namespace nadi
