// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/surroundings.h"

#include "configuration/topology-section.h"

namespace nadi
{

namespace
{

double
PayloadShare(const PacketOptions& options)
{
    const auto payload = static_cast<double>(options.payload.Count());
    return payload / (payload + static_cast<double>(options.header.Count()));
}

} // namespace

LibrarySurroundings
DescribeSurroundings(const RunInput& input)
{
    return {.options = input.Config().system.options,
            .stack = input.Stack(),
            .nodes = FindNodes(input.Config().network),
            .payloadShare = PayloadShare(input.Config().network.packet),
            .placement = input.Topology().Placement()};
}

} // namespace nadi
