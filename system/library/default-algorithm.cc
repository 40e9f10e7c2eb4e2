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

double
PicosecondsOf(SimTime time)
{
    return static_cast<double>(time.Ps());
}

/// What the formulas of docs/collectives.md are made of, in picoseconds. In doubles, as products of
/// times may pass 64 bits.
struct RootedTimes
{
    explicit RootedTimes(const RootedPhase& phase)
        : wire(PicosecondsOf(phase.size / phase.rate))
        , frame(PicosecondsOf((phase.size + LEAST_HEADER) / phase.rate))
        , step(PicosecondsOf(phase.stepLatency))
        , others(phase.ranks - 1)
    {
    }

    double wire;  ///< of the buffer
    double frame; ///< of the buffer and its least header
    double step;
    double others; ///< members beside the root
};

/// Of the first slice of a pipeline through all members, in picoseconds.
double
FirstSliceTime(const RootedPhase& phase, Bytes buffer)
{
    return PicosecondsOf(std::min(buffer, AutomaticSlice(buffer, phase.ranks - 1)) / phase.rate);
}

/// Both ways around: each carries half of the buffer, or serves half of the members.
std::string
ChooseAroundRing(const RootedPhase& phase)
{
    const RootedTimes times(phase);
    const double direct = times.others / 2 * times.frame + std::ceil(times.others / 2) * times.step;
    const double slice = FirstSliceTime(phase, Bytes(phase.size.Count() / 2));
    const double ring = times.wire / 2 + times.others * (slice + times.step);
    return direct <= ring ? "direct" : "bidirectional-ring";
}

std::string
ChooseAlongLine(const RootedPhase& phase, int64_t levels)
{
    const RootedTimes times(phase);
    const double direct = times.others * (times.frame + times.step);
    const double tree =
        static_cast<double>(levels) * times.wire + (std::exp2(levels) - 1) * times.step;
    const double slice = FirstSliceTime(phase, phase.size);
    const double ring = times.wire + times.others * (slice + 2 * times.step);
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
    if (phase.chain == NeighbourChain::Ring)
    {
        return ChooseAroundRing(phase);
    }
    if (phase.chain == NeighbourChain::Line)
    {
        return ChooseAlongLine(phase, levels);
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
