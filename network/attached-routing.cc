// SPDX-License-Identifier: GPL-2.0-only
#include "network/attached-routing.h"

#include "common/check.h"

#include <utility>

namespace nadi
{

AttachedRouting::AttachedRouting(const Topology& topology, std::unique_ptr<Routing> inner)
    : Routing(topology)
    , m_inner(std::move(inner))
{
    for (VertexId memory = topology.FirstMemory(); memory.value < topology.VertexCount();
         ++memory.value)
    {
        const TopologyLink& up = topology.Link(topology.LinksFrom(memory).front());
        m_attachments.push_back({up.to, {up.reverse}});
    }
}

const std::vector<LinkId>&
AttachedRouting::FindNextLinks(VertexId at, VertexId destination) const
{
    NADI_CHECK(at != destination && destination.value < m_topology.VertexCount());
    // A memory has one link, by which everything leaves.
    if (m_topology.IsMemory(at))
    {
        return m_topology.LinksFrom(at);
    }
    if (!m_topology.IsMemory(destination))
    {
        return m_inner->FindNextLinks(at, destination);
    }
    // The inner routing knows no memories, so it is asked for the way to the vertex that the memory
    // hangs on.
    const uint32_t memory = destination.value - m_topology.FirstMemory().value;
    const Attachment& attachment = m_attachments[memory];
    return at == attachment.host ? attachment.down : m_inner->FindNextLinks(at, attachment.host);
}

} // namespace nadi
