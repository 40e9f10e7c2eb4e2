// SPDX-License-Identifier: GPL-2.0-only
#include "system/remote-memory/memory-servers.h"

#include "common/check.h"

#include <algorithm>

namespace nadi
{

MemoryServers::MemoryServers(const Topology& topology, const std::vector<MemoryGroup>& groups)
    : m_first(topology.FirstMemory())
{
    for (const MemoryGroup& group : groups)
    {
        m_servers.insert(m_servers.end(), group.count, {&group, SimTime()});
    }
    NADI_CHECK(m_servers.size() == topology.MemoryCount());
}

SimTime
MemoryServers::Serve(VertexId memory, SimTime now, Bytes size)
{
    Server& server = m_servers[memory.value - m_first.value];
    server.freeAt = std::max(now, server.freeAt) + size / server.group->bandwidth;
    // The latency comes after the turn, and delays no other message.
    return server.freeAt + server.group->latency;
}

} // namespace nadi
