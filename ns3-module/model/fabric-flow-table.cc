// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-flow-table.h"

namespace ns3
{

uint32_t
FabricFlowTable::Open(const FabricFlowKey& key, const FabricProtocol& protocol)
{
    const uint32_t index = TakeFree();
    Slot& slot = GetSlot(index);
    slot.queuePair.emplace(FabricQueuePairKey{key.stream, key.destination}, protocol);
    slot.flow.key = key;
    slot.flow.queuePair = &*slot.queuePair;
    return index;
}

void
FabricFlowTable::Close(uint32_t flow)
{
    Slot& slot = GetSlot(flow);
    slot.flow.queuePair = nullptr;
    slot.flow.forward.Clear();
    slot.flow.reverse.Clear();
    slot.queuePair.reset();
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
        m_chunks.push_back(std::make_unique<Slot[]>(CHUNK));
    }
    return m_size++;
}

} // namespace ns3
