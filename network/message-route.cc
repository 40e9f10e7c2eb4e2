// SPDX-License-Identifier: GPL-2.0-only
#include "network/message-route.h"

#include "common/check.h"
#include "network/path-metrics.h"

namespace nadi
{

MessageRoutes::MessageRoutes(const Topology& topology,
                             const Routing& routing,
                             const PacketOptions& options)
    : m_topology(topology)
    , m_routing(routing)
    , m_seed(options.seed)
{
    for (uint32_t link = 0; link < topology.LinkCount(); ++link)
    {
        m_latencies.push_back(PathLatency(topology, {LinkId{link}}, options.switchLatency));
    }
}

const MessageRoute&
MessageRoutes::Find(const Message& message)
{
    NADI_CHECK(message.source != message.destination);
    const VertexId destination{message.destination.value};
    m_route.links.clear();
    m_route.latency = SimTime();
    for (VertexId at{message.source.value}; at != destination;)
    {
        NADI_CHECK(m_route.links.size() < m_latencies.size());
        const LinkId next = PickNext(at, message);
        m_route.links.push_back(next);
        m_route.latency += m_latencies[next.value];
        at = m_topology.Link(next).to;
    }
    return m_route;
}

/// Where there is no choice, the flow's hash is not needed.
LinkId
MessageRoutes::PickNext(VertexId at, const Message& message) const
{
    const VertexId source{message.source.value};
    const VertexId destination{message.destination.value};
    const std::vector<LinkId>& links = m_routing.FindNextLinks(at, destination);
    if (links.size() == 1)
    {
        return links.front();
    }
    const uint64_t flow = MakeFlowHash(source, destination, message.stream.value);
    return links[PickEcmp(at, flow, m_seed, static_cast<uint32_t>(links.size()))];
}

} // namespace nadi
