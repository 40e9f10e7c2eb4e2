// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "network/shape.h"

#include <algorithm>

namespace nadi
{

/// Each NPU has a link of its own to each of the others.
///
/// Link pairs are those of members i < j, in the order (0,1), (0,2), ..., (1,2), ...; the even
/// ordinal of a pair leads from i to j, the odd one back.
class FullyConnectedShape : public Shape
{
  public:
    static constexpr const char* Help = "Every two NPUs share a bidirectional link of their own.";

    bool HasSwitch(uint32_t) const override
    {
        return false;
    }

    uint32_t LinksPerNpu(uint32_t size) const override
    {
        return size - 1;
    }

    uint64_t LinkCount(uint32_t size) const override
    {
        return uint64_t{size} * (size - 1);
    }

    uint32_t HopCount(uint32_t, uint32_t from, uint32_t to) const override
    {
        return from == to ? 0 : 1;
    }

    uint64_t FindNextLink(uint32_t size, uint32_t at, uint32_t to) const override
    {
        NADI_CHECK(at < size && to < size && at != to);
        const uint64_t low = std::min(at, to);
        const uint64_t high = std::max(at, to);
        // Member i has size - 1 - i pairs with higher members; this is the sum over all i < low.
        const uint64_t pairsBefore = low * size - low * (low + 1) / 2; // of members below `low`
        return 2 * (pairsBefore + (high - low - 1)) + (at < to ? 0 : 1);
    }

    ShapeDefaults Defaults() const override
    {
        return {.algorithm = "direct", .chooseRootedBySize = true};
    }

    void AddLine(const ShapeLine& line, Topology& topology) const override
    {
        for (size_t i = 0; i < line.members.size(); ++i)
        {
            for (size_t j = i + 1; j < line.members.size(); ++j)
            {
                topology.AddLink(line.members[i],
                                 line.members[j],
                                 line.rate.bandwidth,
                                 line.rate.latency,
                                 line.dimension);
            }
        }
    }
};

NADI_REGISTER(Shape, FullyConnectedShape, "fully-connected");

} // namespace nadi
