// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/units.h"
#include "network/topology.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi::test
{

/// NPUs in a grid, as a list of links says it: neighbours along dimension d are joined by links of
/// rate `rates[d]`.
struct GridSpec
{
    std::vector<uint32_t> sizes;
    std::vector<int64_t> rates; ///< bytes per second, by dimension
    SimTime latency;
    bool isTorus = false;        ///< a ring of two is one link each way
    bool lacksFirstLink = false; ///< between NPU 0 and NPU 1
};

inline Topology
MakeGridTopology(const GridSpec& spec)
{
    uint32_t count = 1;
    for (const uint32_t size : spec.sizes)
    {
        count *= size;
    }
    Topology topology;
    for (uint32_t npu = 0; npu < count; ++npu)
    {
        topology.AddVertex(VertexKind::Npu, "npu" + std::to_string(npu));
    }
    uint32_t stride = 1;
    for (size_t d = 0; d < spec.sizes.size(); ++d)
    {
        const uint32_t size = spec.sizes[d];
        for (uint32_t npu = 0; npu < count; ++npu)
        {
            const uint32_t at = npu / stride % size;
            const bool isLast = at + 1 == size;
            const bool isLeftOut = spec.lacksFirstLink && d == 0 && npu == 0;
            if (!isLeftOut && (!isLast || (spec.isTorus && size > 2)))
            {
                topology.AddLink(VertexId{npu},
                                 VertexId{isLast ? npu - at * stride : npu + stride},
                                 Bandwidth::FromBytesPerSecond(spec.rates[d]),
                                 spec.latency);
            }
        }
        stride *= size;
    }
    return topology;
}

inline std::vector<RankId>
FirstRanks(uint32_t count)
{
    std::vector<RankId> ranks;
    for (uint32_t rank = 0; rank < count; ++rank)
    {
        ranks.push_back(RankId{rank});
    }
    return ranks;
}

} // namespace nadi::test
