// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/planned-dimension.h"

#include "network/shape.h"

#include <algorithm>

namespace nadi
{

namespace
{

SimTime
HalfRoundedUp(SimTime time)
{
    return SimTime::FromPs((time.Ps() + 1) / 2);
}

/// After how much of a full frame a node of the dimension passes it on. All links of the dimension
/// are as fast as each other, so that a switch that can cuts through.
Bytes
StoredBytes(bool hasSwitch, const PacketOptions& options)
{
    return hasSwitch && options.switching == Switching::CutThrough
               ? std::max(options.header, Bytes(1))
               : options.payload + options.header;
}

} // namespace

Dimension
PlanOverRoutes(uint32_t size,
               const ComponentChoice& shape,
               const NeighbourRates& rates,
               const PacketOptions& options)
{
    const bool isLink = shape != ComponentChoice(ROUTES);
    return {.shape = shape,
            .size = size,
            .bandwidth = rates.least,
            .latency = isLink ? rates.latency : HalfRoundedUp(rates.latency),
            .forwarding = {.payload = options.payload, .time = rates.forwarding}};
}

Dimension
PlanOverLinks(Dimension dimension, const PacketOptions& options)
{
    // A line of one has no switch; like its links, it gets that of a line of two.
    const bool hasSwitch =
        MakeShape(dimension.shape, "network.dimensions")->HasSwitch(std::max(dimension.size, 2U));
    if (hasSwitch)
    {
        dimension.latency += HalfRoundedUp(options.switchLatency);
    }
    dimension.forwarding = {.payload = options.payload,
                            .time = StoredBytes(hasSwitch, options) / dimension.bandwidth};
    return dimension;
}

} // namespace nadi
