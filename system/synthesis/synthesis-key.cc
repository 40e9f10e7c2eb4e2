// SPDX-License-Identifier: GPL-2.0-only
#include "system/synthesis/synthesis-key.h"

#include "system/synthesis/picked-ways.h"

namespace nadi
{

namespace
{

void
AddCount(StoreKey& key, int64_t count)
{
    key.Add(static_cast<uint64_t>(count));
}

/// With the stack, which routing follows.
void
AddNetwork(StoreKey& key, const Topology& topology)
{
    // The counts of vertices and links go before their lists, so that the end of a list is never
    // taken for the begin of the next.
    key.Add(topology.VertexCount());
    for (uint32_t index = 0; index < topology.VertexCount(); ++index)
    {
        const TopologyVertex& vertex = topology.Vertex(VertexId{index});
        key.Add(static_cast<uint64_t>(vertex.kind));
        key.Add(vertex.name);
    }
    key.Add(topology.LinkCount());
    for (uint32_t index = 0; index < topology.LinkCount(); ++index)
    {
        const TopologyLink& link = topology.Link(LinkId{index});
        for (const uint64_t word : {link.from.value,
                                    link.to.value,
                                    link.dimension,
                                    link.routingCost.transitNpus,
                                    link.routingCost.links})
        {
            key.Add(word);
        }
        AddCount(key, link.bandwidth.BitsPerSecond());
        AddCount(key, link.latency.Ps());
    }
    for (const Dimension& dimension : topology.Dimensions())
    {
        key.Add(dimension.shape.name);
        key.Add(dimension.size);
    }
}

} // namespace

StoreKey
MakeSynthesisKey(const ProgramSurroundings& surroundings,
                 const ProgramWish& wish,
                 const SynthesisOptions& options)
{
    StoreKey key;
    AddNetwork(key, surroundings.topology);
    AddCount(key, surroundings.packet.payload.Count());
    AddCount(key, surroundings.packet.header.Count());
    AddCount(key, surroundings.packet.switchLatency.Ps());
    AddCount(key, surroundings.endpointDelay.Ps());
    AddCount(key,
             surroundings.reductionBandwidth ? surroundings.reductionBandwidth->BitsPerSecond()
                                             : -1);
    key.Add(surroundings.stack.size());
    for (const uint32_t size : surroundings.stack)
    {
        key.Add(size);
    }
    key.Add(static_cast<uint64_t>(wish.type));
    key.Add(wish.ranks.size());
    for (const RankId rank : wish.ranks)
    {
        key.Add(rank.value);
    }
    key.Add(wish.root);
    AddCount(key, wish.size.Count());
    const auto picked = FindPickedWays(surroundings.packet, wish.communicator);
    key.Add(uint64_t{picked.has_value()});
    if (picked)
    {
        key.Add(picked->seed);
        key.Add(picked->communicator.value);
    }
    // No choice has 0 chunks, so 0 stands for `auto`.
    key.Add(options.chunks.value_or(0));
    key.Add(options.seed);
    key.Add(options.tries);
    return key;
}

} // namespace nadi
