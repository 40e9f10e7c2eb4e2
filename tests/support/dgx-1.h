// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/topology.h"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace nadi::test
{

/// The hybrid cube mesh of a DGX-1: GPU, GPU, how many NVLinks of 25 GB/s join them.
inline std::vector<std::tuple<uint32_t, uint32_t, int64_t>>
ListDgx1Bricks()
{
    return {{0, 1, 1},
            {0, 2, 1},
            {0, 3, 2},
            {0, 4, 2},
            {1, 2, 2},
            {1, 3, 1},
            {1, 5, 2},
            {2, 3, 2},
            {2, 6, 1},
            {3, 7, 1},
            {4, 5, 1},
            {4, 6, 1},
            {4, 7, 2},
            {5, 6, 2},
            {5, 7, 1},
            {6, 7, 2}};
}

inline Topology
MakeDgx1()
{
    Topology topology;
    for (uint32_t npu = 0; npu < 8; ++npu)
    {
        topology.AddVertex(VertexKind::Npu, "npu" + std::to_string(npu));
    }
    for (const auto& [from, to, bricks] : ListDgx1Bricks())
    {
        topology.AddLink(VertexId{from},
                         VertexId{to},
                         Bandwidth::FromBytesPerSecond(25'000'000'000) * bricks,
                         SimTime::FromNs(500));
    }
    return topology;
}

} // namespace nadi::test
