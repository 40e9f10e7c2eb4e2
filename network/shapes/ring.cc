// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "network/shape.h"

#include <algorithm>

namespace nadi
{

/// Each NPU has a link to the next and to the one before it, around the end.
///
/// Link pair i joins members i and i + 1 (modulo size): ordinal 2i is its positive direction,
/// 2i + 1 the negative one. Two members share a single pair, which is both. A message goes the
/// shorter way; where both are equally long, the positive one from even coordinates and the
/// negative one from odd, so that such messages load both directions alike.
class RingShape : public Shape
{
  public:
    static constexpr const char* Help =
        "The NPUs form a ring: bidirectional links join neighbours, and the last NPU with the "
        "first. Two NPUs share a single link.";

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
        return uint64_t{size} * LinksPerNpu(size);
    }

    uint32_t HopCount(uint32_t size, uint32_t from, uint32_t to) const override
    {
        const uint32_t ahead = StepsAhead(size, from, to);
        return std::min(ahead, size - ahead);
    }

    uint64_t FindNextLink(uint32_t size, uint32_t at, uint32_t to) const override
    {
        NADI_CHECK(at < size && to < size && at != to);
        if (size == 2)
        {
            return at;
        }
        // The negative direction of pair i leads from i + 1 to i, so from `at` it is that of pair
        // at - 1.
        return GoesForward(size, at, to) ? 2 * uint64_t{at}
                                         : 2 * uint64_t{StepsAhead(size, 1, at)} + 1;
    }

    bool HasCircle() const override
    {
        return true;
    }

    ShapeDefaults Defaults() const override
    {
        return {.algorithm = "bidirectional-ring",
                .chooseRootedBySize = true,
                .chain = NeighbourChain::Ring};
    }

    void AddLine(const ShapeLine& line, Topology& topology) const override
    {
        const size_t size = line.members.size();
        for (size_t i = 0; i < LinkCount(static_cast<uint32_t>(size)) / 2; ++i)
        {
            const VertexId next = line.members[(i + 1) % size];
            topology.AddLink(
                line.members[i], next, line.rate.bandwidth, line.rate.latency, line.dimension);
        }
    }

  private:
    static uint32_t StepsAhead(uint32_t size, uint32_t from, uint32_t to)
    {
        return to >= from ? to - from : to + (size - from);
    }

    static bool GoesForward(uint32_t size, uint32_t at, uint32_t to)
    {
        const uint32_t ahead = StepsAhead(size, at, to);
        const uint32_t behind = size - ahead;
        return ahead < behind || (ahead == behind && at % 2 == 0);
    }
};

NADI_REGISTER(Shape, RingShape, "ring");

} // namespace nadi
