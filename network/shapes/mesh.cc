// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "network/shape.h"

#include <algorithm>

namespace nadi
{

/// A line: each NPU has a link to the next and to the one before it; the ends have one.
///
/// Link pair i joins members i and i + 1: ordinal 2i leads up, 2i + 1 leads down.
class MeshShape : public Shape
{
  public:
    static constexpr const char* Help = "The NPUs form a line: bidirectional links join "
                                        "neighbours, and no link joins the two ends.";

    bool HasSwitch(uint32_t) const override
    {
        return false;
    }

    uint32_t LinksPerNpu(uint32_t size) const override
    {
        return std::min(size - 1, 2U);
    }

    uint64_t LinkCount(uint32_t size) const override
    {
        return 2 * (uint64_t{size} - 1);
    }

    uint32_t HopCount(uint32_t, uint32_t from, uint32_t to) const override
    {
        return std::max(from, to) - std::min(from, to);
    }

    uint64_t FindNextLink(uint32_t size, uint32_t at, uint32_t to) const override
    {
        NADI_CHECK(at < size && to < size && at != to);
        // Down from `at` leads the odd direction of pair at - 1: 2 (at - 1) + 1.
        return to > at ? 2 * uint64_t{at} : 2 * uint64_t{at} - 1;
    }

    ShapeDefaults Defaults() const override
    {
        return {.algorithm = "ring",
                .chooseRootedBySize = true,
                .line = LineOrder::Folded,
                .chain = NeighbourChain::Line};
    }

    void AddLine(const ShapeLine& line, Topology& topology) const override
    {
        for (size_t i = 0; i + 1 < line.members.size(); ++i)
        {
            topology.AddLink(line.members[i],
                             line.members[i + 1],
                             line.rate.bandwidth,
                             line.rate.latency,
                             line.dimension);
        }
    }
};

NADI_REGISTER(Shape, MeshShape, "mesh");

} // namespace nadi
