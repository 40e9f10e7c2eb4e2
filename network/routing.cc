// SPDX-License-Identifier: GPL-2.0-only
#include "network/routing.h"

#include "common/check.h"
#include "common/hash.h"

namespace nadi
{

namespace
{

constexpr uint64_t ECMP_PURPOSE = 0x45434d50; ///< "ECMP": what this random choice is for

} // namespace

std::vector<LinkId>
Routing::FindPath(VertexId source,
                  VertexId destination,
                  const FlowChoice& flow,
                  uint64_t seed) const
{
    std::vector<LinkId> path;
    FindPath(source, destination, flow, seed, path);
    return path;
}

void
Routing::FindPath(VertexId source,
                  VertexId destination,
                  const FlowChoice& flow,
                  uint64_t seed,
                  std::vector<LinkId>& path) const
{
    path.clear();
    for (VertexId at = source; at != destination; at = m_topology.Link(path.back()).to)
    {
        // A path visits no vertex twice, so a longer one is a circle.
        NADI_CHECK(path.size() < m_topology.VertexCount());
        const std::vector<LinkId>& links = FindNextLinks(at, destination);
        const auto count = static_cast<uint32_t>(links.size());
        // Where there is nothing to choose, no hash is computed.
        path.push_back(links[count == 1 ? 0 : PickLink(at, flow, seed, count)]);
    }
}

/// The vertex is part of the hash, so that flows which take the same link at one switch may part at
/// the next.
uint32_t
PickEcmp(VertexId at, uint64_t flow, uint64_t seed, uint32_t count)
{
    NADI_CHECK(count > 0);
    return static_cast<uint32_t>(Hash64({seed, ECMP_PURPOSE, at.value, flow}) % count);
}

uint64_t
MakeFlowHash(VertexId source, VertexId destination, StreamId stream)
{
    return Hash64({source.value, destination.value, WayIdentity(stream)});
}

uint32_t
PickLink(VertexId at, const FlowChoice& flow, uint64_t seed, uint32_t count)
{
    return flow.pin ? *flow.pin % count : PickEcmp(at, flow.hash, seed, count);
}

FlowChoice
MakeFlowChoice(VertexId source, VertexId destination, StreamId stream)
{
    return {MakeFlowHash(source, destination, stream), TreeOf(stream)};
}

} // namespace nadi
