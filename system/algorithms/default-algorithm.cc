// SPDX-License-Identifier: GPL-2.0-only
#include "system/system-options.h"

#include <bit>

namespace nadi
{

std::string
DefaultAlgorithm(CollectiveType type, const std::string& shape)
{
    switch (type)
    {
    case CollectiveType::AllToAll:
    case CollectiveType::Gather:
    case CollectiveType::Scatter:
        return "direct";
    default:
        break;
    }
    if (shape == "ring")
    {
        return "bidirectional-ring";
    }
    if (shape == "fully-connected")
    {
        return "direct";
    }
    const bool hasPorts = shape == "switch" || shape.empty();
    if (hasPorts && (type == CollectiveType::Broadcast || type == CollectiveType::Reduce))
    {
        return BY_SIZE;
    }
    return shape == "switch" ? "halving-doubling" : "ring";
}

std::string
ChooseBySize(const RootedPhase& phase)
{
    const int64_t levels = std::bit_width(phase.ranks - 1);
    if (levels < 2)
    {
        return "halving-doubling";
    }
    // (4 h - 5) S/b >= h a, divided by the positive factor so that no product can overflow.
    const int64_t parts = 4 * levels - 5;
    const int64_t leastPs = (phase.stepLatency.Ps() * levels + parts - 1) / parts;
    const bool isPipelined = phase.size / phase.rate >= SimTime::FromPs(leastPs);
    return isPipelined ? "double-binary-tree" : "halving-doubling";
}

} // namespace nadi
