// SPDX-License-Identifier: GPL-2.0-only
#include "system/synthesis/synthesize-wish.h"

#include "common/check.h"
#include "network/cut-graph.h"
#include "system/fabric-limits.h"
#include "system/message-programs/program-proof.h"

#include <cstdint>
#include <vector>

namespace nadi
{

namespace
{

/// As many links as a bound may look at; it only ends the search early.
constexpr uint64_t MOST_LINKS_OF_BOUND = 4'000'000;

} // namespace

std::optional<SimTime>
FindWireBound(const ProgramSurroundings& surroundings, const ProgramWish& wish)
{
    const auto ranks = static_cast<uint32_t>(wish.ranks.size());
    const bool isExchange = wish.type == CollectiveType::AllToAll;
    if (wish.type == CollectiveType::Barrier || isExchange)
    {
        return std::nullopt;
    }
    std::vector<VertexId> members;
    for (const RankId rank : wish.ranks)
    {
        members.push_back(VertexOf(rank));
    }
    const CutGraph graph(surroundings.topology, members);
    if (EstimateFabricWork(graph, wish.type) > MOST_LINKS_OF_BOUND)
    {
        return std::nullopt;
    }
    const bool hasShards = wish.type == CollectiveType::AllGather ||
                           wish.type == CollectiveType::Gather ||
                           wish.type == CollectiveType::Scatter;
    const Bytes size = hasShards ? Bytes(wish.size.Count() / ranks) : wish.size;
    const Bytes onWire(size.Count() + size.Count() / surroundings.packet.payload.Count() *
                                          surroundings.packet.header.Count());
    const CollectiveExtent extent{wish.type, onWire, ranks};
    const std::vector<FabricLimit> limits =
        FindFabricLimits(graph, {.type = wish.type, .root = wish.root});
    return ComputeFabricTime(*FindTightestLimit(limits, extent), extent);
}

SynthesisResult
SynthesizeWish(const ProgramSurroundings& surroundings,
               const ProgramWish& wish,
               SynthesisOptions options)
{
    options.bound = FindWireBound(surroundings, wish);
    SynthesisResult made = Synthesize({.topology = surroundings.topology,
                                       .routing = surroundings.routing,
                                       .packet = surroundings.packet,
                                       .endpointDelay = surroundings.endpointDelay,
                                       .reductionBandwidth = surroundings.reductionBandwidth},
                                      {.type = wish.type,
                                       .ranks = wish.ranks,
                                       .root = wish.root,
                                       .elements = static_cast<uint64_t>(wish.size.Count()),
                                       .elementBytes = 1,
                                       .options = options});
    NADI_CHECK(!FindProgramFault(made.program));
    return made;
}

} // namespace nadi
