// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/host/kernel-launches.h"

#include <algorithm>

namespace nadi
{

void
AddLaunches(const ExecutionGraph& graph,
            const std::vector<std::vector<uint32_t>>& parents,
            std::vector<bool>& isGone)
{
    const auto isOfHost = [&](uint32_t node) { return graph.Node(node).isCpu; };
    const auto isKernelGone = [&](uint32_t node) { return !isOfHost(node) && isGone[node]; };
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        const auto& children = graph.Children(node);
        // An operator that waits for a task, as a synchronisation does, has a purpose of its own,
        // and so has one that launches something that stays.
        const bool launchesGone = isOfHost(node) && std::ranges::any_of(children, isKernelGone);
        if (launchesGone && std::ranges::all_of(parents[node], isOfHost) &&
            std::ranges::all_of(children,
                                [&](uint32_t child) { return isGone[child] || isOfHost(child); }))
        {
            isGone[node] = true;
        }
    }
}

} // namespace nadi
