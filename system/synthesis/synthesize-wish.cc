// SPDX-License-Identifier: GPL-2.0-only
#include "system/synthesis/synthesize-wish.h"

#include "common/check.h"
#include "network/cut-graph.h"
#include "network/throughput-cut.h"
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
/// No shard is cut into so many chunks.
constexpr uint32_t MOST_CHUNKS_OF_SHARD = 4096;

} // namespace

std::optional<WireBound>
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
    // A wish has the size of the whole buffer. The extent of these types counts the shard of one
    // rank (CollectiveType).
    const bool hasShards = wish.type == CollectiveType::AllGather ||
                           wish.type == CollectiveType::Gather ||
                           wish.type == CollectiveType::Scatter;
    const Bytes size = hasShards ? Bytes(wish.size.Count() / ranks) : wish.size;
    // Only the headers of full frames count, since no cut into messages can avoid them: no program
    // may be faster than the bound.
    const Bytes onWire(size.Count() + size.Count() / surroundings.packet.payload.Count() *
                                          surroundings.packet.header.Count());
    const CollectiveExtent extent{wish.type, onWire, ranks};
    const std::vector<FabricLimit> limits =
        FindFabricLimits(graph, {.type = wish.type, .root = wish.root});
    const FabricLimit& tightest = *FindTightestLimit(limits, extent);
    WireBound bound{.time = ComputeFabricTime(tightest, extent)};
    if (wish.type == CollectiveType::AllGather || wish.type == CollectiveType::ReduceScatter)
    {
        const CutGraph::Amount trees = CountTrees(graph, tightest.cut);
        bound.trees = trees < MOST_CHUNKS_OF_SHARD ? std::optional(static_cast<uint32_t>(trees))
                                                   : std::nullopt;
    }
    return bound;
}

SynthesisResult
SynthesizeWish(const ProgramSurroundings& surroundings,
               const ProgramWish& wish,
               SynthesisOptions options)
{
    if (const std::optional<WireBound> bound = FindWireBound(surroundings, wish))
    {
        options.bound = bound->time;
        options.trees = bound->trees;
    }
    SynthesisResult made = Synthesize({.topology = surroundings.topology,
                                       .routing = surroundings.routing,
                                       .packet = surroundings.packet,
                                       .endpointDelay = surroundings.endpointDelay,
                                       .reductionBandwidth = surroundings.reductionBandwidth,
                                       .stack = surroundings.stack},
                                      {.type = wish.type,
                                       .ranks = wish.ranks,
                                       .root = wish.root,
                                       // An element is a byte, so that chunks may begin at any
                                       // byte.
                                       .elements = static_cast<uint64_t>(wish.size.Count()),
                                       .elementBytes = 1,
                                       .communicator = wish.communicator,
                                       .options = options});
    NADI_CHECK(!FindProgramFault(made.program));
    return made;
}

} // namespace nadi
