// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/check.h"
#include "network/shape.h"

#include <cstdint>

namespace nadi
{

/// Each NPU has one port, to the line's switch: from NPU to NPU it is two links. A single NPU
/// needs no switch and has none.
///
/// Link pair i belongs to member i: ordinal 2i leads to the switch, 2i + 1 from it.
class SwitchShape : public Shape
{
  public:
    static constexpr const char* Help = "Every NPU has one bidirectional link to a switch, so a "
                                        "message between two NPUs crosses two links.";

    bool HasSwitch(uint32_t size) const override
    {
        return size > 1;
    }

    uint32_t LinksPerNpu(uint32_t size) const override
    {
        return size > 1 ? 1 : 0;
    }

    uint64_t LinkCount(uint32_t size) const override
    {
        return 2 * uint64_t{size} * LinksPerNpu(size);
    }

    uint32_t HopCount(uint32_t, uint32_t from, uint32_t to) const override
    {
        return from == to ? 0 : 2;
    }

    uint64_t FindNextLink(uint32_t size, uint32_t at, uint32_t to) const override
    {
        NADI_CHECK(at <= size && to < size && at != to);
        const bool isAtSwitch = at == size;
        return isAtSwitch ? 2 * uint64_t{to} + 1 : 2 * uint64_t{at};
    }

    ShapeDefaults Defaults() const override
    {
        return {.algorithm = "halving-doubling", .chooseRootedBySize = true};
    }

    void AddLine(const ShapeLine& line, Topology& topology) const override;
};

} // namespace nadi
