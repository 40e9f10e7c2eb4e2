// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_CARRIED_EVENTS_H
#define FABRIC_CARRIED_EVENTS_H

#include "fabric-event-queue.h"

#include "ns3/event-id.h"
#include "ns3/event-impl.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

class FabricCarriedEvents;

/// \ingroup fabric
/// Carries an event of ns-3's through a FabricEventQueue, and its one reference with it.
class FabricCarriedEvent final : public FabricQueuedEvent
{
  public:
    void Execute() override;
    void OnDropped() override;

  private:
    friend class FabricCarriedEvents;

    EventImpl* GetImpl() const
    {
        return static_cast<EventImpl*>(GetSubject());
    }

    /// How often this carrier was used (modulo 255), and its index. A free carrier has the number
    /// of its next use, so that an EventId of its last use no longer matches.
    uint32_t m_uid = 0;
    FabricCarriedEvents* m_pool = nullptr;
};

/// \ingroup fabric
/// The carriers of ns-3's events, and what ns-3's numbers of events mean.
///
/// The number (uid) of an EventId says which carrier it has, in the low 24 bits, and in the high 8
/// bits how often that was used before, modulo 255. So no two pending events have the same number,
/// and an id finds its event in constant time however many events there were. An id of the past
/// finds nothing: its EventImpl is kept alive by it, so no other event can have that, and the same
/// EventImpl scheduled again differs in time or in number, unless its carrier was used 255 times
/// more within one instant.
///
/// Memory: as many carriers as were pending at most, which are used over and over.
class FabricCarriedEvents
{
  public:
    /// Takes a carrier for the event, whose reference it takes over. Stops the program if 2^24
    /// events are pending.
    FabricCarriedEvent& Take(EventImpl* impl)
    {
        if (m_free.empty())
        {
            Grow();
        }
        FabricCarriedEvent& event = *m_free.back();
        m_free.pop_back();
        event.SetSubject(impl);
        return event;
    }

    /// The id of a pending event.
    static EventId MakeId(const FabricCarriedEvent& event)
    {
        const auto time = static_cast<uint64_t>(event.GetTime());
        return EventId(Ptr<EventImpl>(event.GetImpl()), time, event.GetContext(), event.m_uid);
    }

    /// The pending event of the id, or null.
    FabricCarriedEvent* Find(const EventId& id) const;

    /// Frees the carrier of an event. \return The event, with its reference.
    EventImpl* Release(FabricCarriedEvent& event)
    {
        EventImpl* impl = event.GetImpl();
        event.SetSubject(nullptr);
        event.m_uid += GENERATION;
        if (event.m_uid < GENERATION) // no uid is one of those that ns-3 reserves
        {
            event.m_uid += GENERATION;
        }
        m_free.push_back(&event);
        return impl;
    }

  private:
    static constexpr uint32_t GENERATION = 1U << 24; ///< the index is below
    static constexpr uint32_t CHUNK = 256;

    using Chunk = std::array<FabricCarriedEvent, CHUNK>;

    void Grow();

    std::vector<std::unique_ptr<Chunk>> m_chunks;
    std::vector<FabricCarriedEvent*> m_free;
};

} // namespace ns3

#endif /* FABRIC_CARRIED_EVENTS_H */
