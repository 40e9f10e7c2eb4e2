// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/surroundings.h"

#include "configuration/topology-section.h"
#include "network/stack-topology.h"
#include "simulation/program-identity.h"

namespace nadi
{

namespace
{

/// How much of a full frame on the wire is payload, from 0 to 1.
/// The rates of links count whole frames. A library that plans with payload takes this share of
/// them.
double
PayloadShare(const PacketOptions& options)
{
    const auto payload = static_cast<double>(options.payload.Count());
    return payload / (payload + static_cast<double>(options.header.Count()));
}

/// The sizes of the logical stack; nothing where ranks are not in its order.
/// Makers of programs take rank r for the r-th place of the stack, so a stack in another order
/// would mislead them.
std::vector<uint32_t>
FindFilledStack(const RunInput& input)
{
    for (uint32_t rank = 0; rank < input.Workload().RankCount(); ++rank)
    {
        if (input.Places().PlaceOf(rank) != rank)
        {
            return {};
        }
    }
    return SizesOf(input.Stack());
}

} // namespace

std::optional<TreeTable>
MakeTrees(const RunInput& input)
{
    const std::optional<InNetworkOptions>& options = input.Config().network.inNetwork;
    return options ? std::optional<TreeTable>(std::in_place, input.TopologyAtBegin(), *options)
                   : std::nullopt;
}

ProgramSurroundings
DescribeProgramSurroundings(const RunInput& input)
{
    const NetworkConfig& network = input.Config().network;
    const SystemOptions& options = input.Config().system.options;
    const std::optional<std::string>& cache = input.Config().system.planCache;
    return {.topology = input.TopologyAtBegin(),
            .routing = input.Routing(),
            .packet = network.packet,
            .endpointDelay = options.endpointDelay,
            .reductionBandwidth = options.reductionBandwidth,
            // The files were read with the input, so that errors in them come before the run.
            .files = &input.FilePrograms(),
            .stack = FindFilledStack(input),
            .directory =
                cache ? std::optional(ProgramDirectory{*cache, ReadBuildId()}) : std::nullopt};
}

ProgramTable
MakePrograms(const RunInput& input)
{
    return ProgramTable(DescribeProgramSurroundings(input));
}

LibrarySurroundings
DescribeSurroundings(const RunInput& input, TreeTable* trees)
{
    return {.options = input.Config().system.options,
            .stack = input.Stack(),
            .nodes = FindNodes(input.Config().network),
            .payloadShare = PayloadShare(input.Config().network.packet),
            .placement = input.Topology().Placement(),
            .trees = trees};
}

} // namespace nadi
