// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/node-parts.h"

#include <algorithm>
#include <vector>

namespace nadi
{

namespace
{

/// The NPUs that host ranks, in order.
std::vector<uint32_t>
FindUsedNpus(const RankPlacement& placement, uint32_t ranks)
{
    std::vector<uint32_t> npus;
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        npus.push_back(placement.PlaceOf(rank));
    }
    std::sort(npus.begin(), npus.end());
    return npus;
}

/// Whether each node begins at a multiple of `used`, and nowhere else. Requires: `nodes`, those of
/// the used NPUs, are in order.
bool
AreEqualParts(const std::vector<uint32_t>& nodes, uint32_t used)
{
    for (uint32_t index = 1; index < nodes.size(); ++index)
    {
        const bool begins = nodes[index] != nodes[index - 1];
        if (begins != (index % used == 0))
        {
            return false;
        }
    }
    return nodes.size() % used == 0;
}

} // namespace

std::optional<NodeParts>
FindNodeParts(const RankPlacement& placement, uint32_t ranks, uint32_t npusPerNode)
{
    if (placement.IsLinear()) // the first NPUs, which need no looking at
    {
        const uint32_t used = std::min(ranks, npusPerNode);
        return ranks % used == 0 ? std::optional(NodeParts{used, ranks / used}) : std::nullopt;
    }
    std::vector<uint32_t> nodes;
    for (const uint32_t npu : FindUsedNpus(placement, ranks))
    {
        nodes.push_back(npu / npusPerNode);
    }
    const auto used = static_cast<uint32_t>(std::ranges::count(nodes, nodes.front()));
    return AreEqualParts(nodes, used) ? std::optional(NodeParts{used, ranks / used}) : std::nullopt;
}

RankPlacement
PlaceOnUsedNpus(const RankPlacement& placement, uint32_t ranks)
{
    const std::vector<uint32_t> npus = FindUsedNpus(placement, ranks);
    std::vector<uint32_t> places;
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        const auto found = std::lower_bound(npus.begin(), npus.end(), placement.PlaceOf(rank));
        places.push_back(static_cast<uint32_t>(found - npus.begin()));
    }
    return RankPlacement(places, ranks);
}

} // namespace nadi
