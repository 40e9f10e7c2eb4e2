// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-flow-table.h"

namespace ns3
{

uint32_t
FabricFlowTable::Open(const FabricFlowKey& key, const FabricProtocol& protocol)
{
    const uint32_t index = TakeFree();
    PlaceOfPair& queuePair = GetPlace(index);
    queuePair.emplace(FabricQueuePairKey{key.stream, key.destination}, protocol);
    FabricFlow& opened = (*this)[index];
    opened.key = key;
    opened.queuePair = &*queuePair;
    return index;
}

void
FabricFlowTable::Close(uint32_t flow)
{
    FabricFlow& closed = (*this)[flow];
    closed.queuePair = nullptr;
    closed.forward.Clear();
    closed.reverse.Clear();
    GetPlace(flow).reset();
    m_free.push_back(flow);
}

void
FabricFlowTable::Clear()
{
    *this = FabricFlowTable();
}

uint32_t
FabricFlowTable::TakeFree()
{
    if (!m_free.empty())
    {
        const uint32_t index = m_free.back();
        m_free.pop_back();
        return index;
    }
    if (m_size % CHUNK == 0)
    {
        m_flows.push_back(std::make_unique<FabricFlow[]>(CHUNK));
        m_pairs.push_back(std::make_unique<PlaceOfPair[]>(CHUNK));
    }
    return m_size++;
}

} // namespace ns3
