// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-carried-events.h"

#include "ns3/abort.h"

namespace ns3
{

void
FabricCarriedEvent::Execute()
{
    // The carrier is free before the event runs, so that its id has expired while it runs, and what
    // it schedules may use the carrier again.
    EventImpl* impl = m_pool->Release(*this);
    impl->Invoke();
    impl->Unref();
}

void
FabricCarriedEvent::OnDropped()
{
    m_pool->Release(*this)->Unref();
}

FabricCarriedEvent*
FabricCarriedEvents::Find(const EventId& id) const
{
    const uint32_t index = id.GetUid() % GENERATION;
    if (id.PeekEventImpl() == nullptr || index / CHUNK >= m_chunks.size())
    {
        return nullptr;
    }
    FabricCarriedEvent& event = (*m_chunks[index / CHUNK])[index % CHUNK];
    const bool isSame = event.m_uid == id.GetUid() && event.GetImpl() == id.PeekEventImpl() &&
                        static_cast<uint64_t>(event.GetTime()) == id.GetTs();
    return isSame ? &event : nullptr;
}

void
FabricCarriedEvents::Grow()
{
    const auto first = static_cast<uint32_t>(m_chunks.size()) * CHUNK;
    NS_ABORT_MSG_IF(first == GENERATION, "too many events of ns-3 are pending: 2^24");
    m_chunks.push_back(std::make_unique<Chunk>());
    // Backwards, as carriers are taken from the end: the lowest index is used first.
    for (uint32_t i = CHUNK; i-- > 0;)
    {
        FabricCarriedEvent& event = (*m_chunks.back())[i];
        // The ids below GENERATION include those that ns-3 reserves, so the count of uses (the
        // digits above the index) begins at 1.
        event.m_uid = GENERATION + first + i;
        event.m_pool = this;
        m_free.push_back(&event);
    }
}

} // namespace ns3
