// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/topology.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// A cut between the members of a group.
struct NamedCut
{
    const Topology& topology;
    const std::vector<VertexId>& members;
    const std::vector<bool>& inside; ///< by vertex
    uint32_t npusPerNode = 1;        ///< 1 where there are no nodes
    /// The same links with the bandwidths to name; null: those of `topology`.
    const Topology* bandwidths = nullptr;
};

/// The links that leave the cut, and the side with fewer members: "8 links of 50 GB/s into node3",
/// "2 links of 50 GB/s out of npu0". A side is named by its NPUs, or by its nodes where it has all
/// NPUs of them.
std::string DescribeCut(const NamedCut& cut);

} // namespace nadi
