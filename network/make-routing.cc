// SPDX-License-Identifier: GPL-2.0-only
#include "network/make-routing.h"

#include "network/dimension-ordered-routing.h"
#include "network/shortest-path-routing.h"

namespace nadi
{

std::unique_ptr<Routing>
MakeRouting(const Topology& topology, const std::vector<LinkId>& failed)
{
    if (failed.empty() && !topology.Dimensions().empty())
    {
        return std::make_unique<DimensionOrderedRouting>(topology);
    }
    return std::make_unique<ShortestPathRouting>(topology, failed);
}

} // namespace nadi
