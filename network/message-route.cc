// SPDX-License-Identifier: GPL-2.0-only
#include "network/message-route.h"

#include "common/check.h"
#include "network/path-metrics.h"

namespace nadi
{

MessageRoutes::MessageRoutes(const Topology& topology,
                             const Routing& routing,
                             const PacketOptions& options)
    : m_routing(routing)
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
    const FlowChoice flow = MakeFlowChoice(message.source, message.destination, message.stream);
    m_routing.FindPath(message.source, message.destination, flow, m_seed, m_route.links);
    m_route.latency = SimTime();
    for (const LinkId link : m_route.links)
    {
        m_route.latency += m_latencies[link.value];
    }
    return m_route;
}

} // namespace nadi
