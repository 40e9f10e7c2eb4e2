// SPDX-License-Identifier: GPL-2.0-only
#include "system/algorithms/slices.h"
#include "system/system-options.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace nadi
{

ComponentChoice
DefaultAlgorithm(CollectiveType type, const Shape& shape)
{
    const ShapeDefaults defaults = shape.Defaults();
    switch (type)
    {
    case CollectiveType::AllToAll:
    case CollectiveType::Gather:
    case CollectiveType::Scatter:
        return {"direct", {}};
    case CollectiveType::Broadcast:
    case CollectiveType::Reduce:
        return {defaults.chooseRootedBySize ? BY_SIZE : defaults.algorithm, {}};
    default:
        return {defaults.algorithm, {}};
    }
}

namespace
{

/// What a message has on the wire at least, beside its payload: the smallest of buffers is not free
/// to send to a thousand members. Networks have more (`network.packet.header` and what Ethernet
/// adds), which for large buffers is a small part of them.
constexpr Bytes LEAST_HEADER{64};

std::string
ChooseOverOwnLinks(const RootedPhase& phase, int64_t levels)
{
    const Bytes slice =
        AutomaticSlice(Bytes(phase.size.Count() / 2), static_cast<uint32_t>(levels));
    const SimTime piece = slice / phase.rate + phase.stepLatency;
    const bool isLarge = phase.size / phase.rate >= piece * (4 * (levels - 1));
    return levels > 1 && isLarge ? "double-binary-tree" : "direct";
}

/// The least of the formulas of docs/collectives.md decides. They are worked in doubles, as
/// products of times may pass 64 bits.
std::string
ChooseAlongNeighbours(const RootedPhase& phase, int64_t levels)
{
    const auto number = [](SimTime time) { return static_cast<double>(time.Ps()); };
    const double wire = number(phase.size / phase.rate);
    const double frame = number((phase.size + LEAST_HEADER) / phase.rate);
    const double step = number(phase.stepLatency);
    const double others = phase.ranks - 1;
    const auto slice = [&](Bytes buffer)
    { return number(std::min(buffer, AutomaticSlice(buffer, phase.ranks - 1)) / phase.rate); };
    if (phase.chain == NeighbourChain::Ring)
    {
        const double direct = others / 2 * frame + std::ceil(others / 2) * step;
        const double ring = wire / 2 + others * (slice(Bytes(phase.size.Count() / 2)) + step);
        return direct <= ring ? "direct" : "bidirectional-ring";
    }
    const double direct = others * (frame + step);
    const double tree = static_cast<double>(levels) * wire + (std::exp2(levels) - 1) * step;
    const double ring = wire + others * (slice(phase.size) + 2 * step);
    if (direct <= std::min(tree, ring))
    {
        return "direct";
    }
    return tree <= ring ? "halving-doubling" : "ring";
}

} // namespace

std::string
ChooseBySize(const RootedPhase& phase)
{
    // docs/collectives.md derives both conditions ("Which algorithm by default"); its h is
    // `levels`. With two ranks the single step and the binomial tree are the same message, and
    // there is nothing to pipeline.
    const int64_t levels = std::bit_width(phase.ranks - 1);
    if (phase.chain != NeighbourChain::None)
    {
        return ChooseAlongNeighbours(phase, levels);
    }
    if (phase.hasOwnLinks)
    {
        return ChooseOverOwnLinks(phase, levels);
    }
    if (levels < 2)
    {
        return "halving-doubling";
    }
    // Both conditions are divided by their positive factors so that no product can overflow.
    const SimTime wire = phase.size / phase.rate;
    const SimTime frame = (phase.size + LEAST_HEADER) / phase.rate;
    const int64_t messages = int64_t{phase.ranks} - 1;
    const int64_t saved = 2 * (levels - 1) * phase.stepLatency.Ps();
    if (frame <= SimTime::FromPs(saved / (2 * messages - levels - 1)))
    {
        return "direct";
    }
    // Times are whole picoseconds. So the comparisons do not change by rounding the bound down
    // above, and up here.
    const int64_t parts = 4 * levels - 5;
    const int64_t leastPs = (phase.stepLatency.Ps() * levels + parts - 1) / parts;
    return wire >= SimTime::FromPs(leastPs) ? "double-binary-tree" : "halving-doubling";
}

} // namespace nadi
