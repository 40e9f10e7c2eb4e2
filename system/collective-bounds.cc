// SPDX-License-Identifier: GPL-2.0-only
#include "system/collective-bounds.h"

#include "common/check.h"

namespace nadi
{

namespace
{

/// floor(size * (ranks - 1) / ranks). The product could pass 64 bits, so the own part is taken off
/// instead, rounded up.
Bytes
AllButOwnPart(Bytes size, uint32_t ranks)
{
    const bool isEven = size.Count() % ranks == 0;
    return size - Bytes(size.Count() / ranks + (isEven ? 0 : 1));
}

/// Of a collective whose root gives what its peers get.
MandatoryTraffic
SpreadTraffic(MemberRole role, Bytes fromRoot, Bytes toPeer)
{
    return role == MemberRole::Root ? MandatoryTraffic{.out = fromRoot, .in = Bytes()}
                                    : MandatoryTraffic{.out = Bytes(), .in = toPeer};
}

/// Of a collective whose root gets what its peers give.
MandatoryTraffic
CollectTraffic(MemberRole role, Bytes toRoot, Bytes fromPeer)
{
    return role == MemberRole::Root ? MandatoryTraffic{.out = Bytes(), .in = toRoot}
                                    : MandatoryTraffic{.out = fromPeer, .in = Bytes()};
}

} // namespace

MandatoryTraffic
ComputeMandatoryTraffic(const CollectiveExtent& extent, MemberRole role)
{
    const Bytes size = extent.size;
    const uint32_t ranks = extent.ranks;
    NADI_CHECK(ranks > 0);
    if (ranks == 1)
    {
        return {};
    }
    switch (extent.type)
    {
    case CollectiveType::AllReduce:
        return {.out = size, .in = size};
    case CollectiveType::AllGather:
        return {.out = size, .in = size * (ranks - 1)};
    case CollectiveType::ReduceScatter:
        return {.out = AllButOwnPart(size, ranks), .in = Bytes(size.Count() / ranks)};
    case CollectiveType::AllToAll:
        return {.out = AllButOwnPart(size, ranks), .in = AllButOwnPart(size, ranks)};
    case CollectiveType::Broadcast:
        return SpreadTraffic(role, size, size);
    case CollectiveType::Scatter:
        return SpreadTraffic(role, size * (ranks - 1), size);
    case CollectiveType::Reduce:
        return CollectTraffic(role, size, size);
    case CollectiveType::Gather:
        return CollectTraffic(role, size * (ranks - 1), size);
    case CollectiveType::Barrier:
        return {};
    }
    NADI_CHECK(false);
}

Bytes
ComputeAverageTraffic(const CollectiveExtent& extent)
{
    // A switch may send a copy to several members, or the sum of what several have sent.
    if (extent.reducedBy == ReducedBy::Switches)
    {
        return Bytes();
    }
    switch (extent.type)
    {
    case CollectiveType::AllReduce:
        return AllButOwnPart(extent.size * 2, extent.ranks);
    case CollectiveType::AllGather:
        return extent.size * (extent.ranks - 1);
    case CollectiveType::ReduceScatter:
    case CollectiveType::Broadcast:
    case CollectiveType::Reduce:
        return AllButOwnPart(extent.size, extent.ranks);
    default:
        return Bytes();
    }
}

Bytes
ComputeNcclSize(const CollectiveExtent& extent)
{
    switch (extent.type)
    {
    case CollectiveType::AllGather:
    case CollectiveType::Gather:
    case CollectiveType::Scatter:
        return extent.size * extent.ranks;
    default:
        return extent.size;
    }
}

double
BusBandwidthFactor(CollectiveType type, uint32_t ranks)
{
    NADI_CHECK(ranks > 0);
    const double othersShare = static_cast<double>(ranks - 1) / ranks;
    switch (type)
    {
    case CollectiveType::AllReduce:
        return 2 * othersShare;
    case CollectiveType::AllGather:
    case CollectiveType::ReduceScatter:
    case CollectiveType::AllToAll:
    case CollectiveType::Gather:
    case CollectiveType::Scatter:
        return othersShare;
    case CollectiveType::Broadcast:
    case CollectiveType::Reduce:
        return 1;
    case CollectiveType::Barrier:
        return 0;
    }
    NADI_CHECK(false);
}

double
AlgorithmBandwidthGBps(const CollectiveExtent& extent, SimTime duration)
{
    if (duration == SimTime())
    {
        return 0;
    }
    // A byte in a nanosecond is 10^9 bytes in a second, or 1 GB/s.
    return static_cast<double>(ComputeNcclSize(extent).Count()) / duration.Ns();
}

double
BusBandwidthGBps(const CollectiveExtent& extent, SimTime duration)
{
    return AlgorithmBandwidthGBps(extent, duration) * BusBandwidthFactor(extent.type, extent.ranks);
}

} // namespace nadi
