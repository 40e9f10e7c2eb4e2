// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-pair-table.h"

#include <utility>

namespace ns3
{

FabricPairHandle
FabricPairTable::Open(const FabricFlowKey& key)
{
    FabricPairHandle handle;
    handle.stream = FindOrMakeStream(key.stream);
    std::vector<Pair>& pairs = m_streams[handle.stream].pairs;
    handle.pair = static_cast<uint32_t>(pairs.size());
    pairs.push_back({key.source, key.destination, 0});
    return handle;
}

FabricFlowKey
FabricPairTable::GetKey(FabricPairHandle handle) const
{
    const Pair& pair = Get(handle);
    return {pair.source, pair.destination, m_streams[handle.stream].name};
}

std::vector<uint32_t>
FabricPairTable::Close(uint64_t stream)
{
    std::vector<uint32_t> flows;
    const auto found = m_places.find(stream);
    if (found == m_places.end())
    {
        return flows;
    }
    // Taken out of the table, so that its memory goes too.
    const std::vector<Pair> pairs = std::exchange(m_streams[found->second].pairs, {});
    m_freeStreams.push_back(found->second);
    m_places.erase(found);
    for (const Pair& pair : pairs)
    {
        ++m_closeSteps;
        if ((pair.state & HAS_OBJECT) != 0)
        {
            flows.push_back(static_cast<uint32_t>(pair.state));
        }
    }
    return flows;
}

/// Places of closed streams are used again, so the table grows to the most streams that are open at
/// once. Handles of a closed stream are void (Fabric::CloseStream).
uint32_t
FabricPairTable::FindOrMakeStream(uint64_t name)
{
    const auto found = m_places.find(name);
    if (found != m_places.end())
    {
        return found->second;
    }
    if (m_freeStreams.empty())
    {
        m_freeStreams.push_back(static_cast<uint32_t>(m_streams.size()));
        m_streams.emplace_back();
    }
    const uint32_t place = m_freeStreams.back();
    m_freeStreams.pop_back();
    m_streams[place].name = name;
    m_places.emplace(name, place);
    return place;
}

} // namespace ns3
