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

} // namespace

std::optional<NodeParts>
FindNodeParts(const RankPlacement& placement, uint32_t ranks, uint32_t npusPerNode)
{
    std::vector<uint32_t> nodes; // of the used NPUs, in order
    for (const uint32_t npu : FindUsedNpus(placement, ranks))
    {
        nodes.push_back(npu / npusPerNode);
    }
    const auto used = static_cast<uint32_t>(std::ranges::count(nodes, nodes.front()));
    for (uint32_t index = 0; index < ranks; ++index)
    {
        // In order, the NPUs of a node are neighbours: a node begins at each multiple of `used`,
        // and nowhere else.
        const bool begins = index > 0 && nodes[index] != nodes[index - 1];
        if (begins != (index > 0 && index % used == 0))
        {
            return std::nullopt;
        }
    }
    return ranks % used == 0 ? std::optional(NodeParts{used, ranks / used}) : std::nullopt;
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
