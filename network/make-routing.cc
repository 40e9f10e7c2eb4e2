// SPDX-License-Identifier: GPL-2.0-only
#include "network/make-routing.h"

#include "network/attached-routing.h"
#include "network/dimension-ordered-routing.h"
#include "network/shortest-path-routing.h"

#include <utility>

namespace nadi
{

std::unique_ptr<Routing>
MakeRouting(const Topology& topology, const std::vector<LinkId>& failed)
{
    // DimensionOrderedRouting knows a single way, and no way around a failed link. So a stack with
    // failed links is routed by tables, like any other topology.
    if (failed.empty() && !topology.Dimensions().empty())
    {
        auto stack = std::make_unique<DimensionOrderedRouting>(topology);
        if (topology.MemoryCount() == 0)
        {
            return stack;
        }
        return std::make_unique<AttachedRouting>(topology, std::move(stack));
    }
    return std::make_unique<ShortestPathRouting>(topology, failed);
}

} // namespace nadi
