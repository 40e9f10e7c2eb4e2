// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_EVENT_H
#define FABRIC_EVENT_H

#include "fabric-simulator-impl.h"

#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/simulator.h"

#include <cstdint>

namespace ns3
{

/// \ingroup fabric
/// An event that its owner keeps as a member and schedules over and over, at absolute times.
///
/// While ns-3's simulator is a FabricSimulatorImpl, nothing here allocates, and all takes constant
/// time. With another simulator it works all the same, through an event of that simulator for each
/// time it is scheduled; cancelled, that event keeps its place there and does nothing.
///
/// Times are in time steps of ns-3: picoseconds after Time::SetResolution(Time::PS).
///
/// The owner's object holds the event, so the scheduler keeps no memory for it and cannot outlive
/// it unnoticed. An event that moves is not cancelled and made anew, as with ns-3's EventId; ports
/// rely on that, since each touch may move theirs.
///
/// Holds: it is pending at most once, and from ScheduleAt until just before it executes, is
/// cancelled, or the simulator is destroyed. An event that ends is cancelled.
class FabricEvent : public FabricQueuedEvent
{
  public:
    /// Schedules the event for `time`, which is not past; if it is pending it moves there, behind
    /// what is scheduled for that time already.
    void ScheduleAt(int64_t time, uint32_t context = Simulator::NO_CONTEXT)
    {
        FabricEventQueue* queue = FabricSimulatorImpl::FindQueue();
        if (queue == nullptr)
        {
            ScheduleElsewhere(time, context);
            return;
        }
        Cancel();
        queue->Put(*this, time, context);
    }

    /// Has it executed when nothing is due at the present instant any more. A FabricSimulatorImpl
    /// does so between two events. Another simulator is given an event of zero delay, which comes
    /// after all that were scheduled before. If it is pending, it moves.
    void ScheduleAtEndOfInstant(uint32_t context = Simulator::NO_CONTEXT)
    {
        FabricEventQueue* queue = FabricSimulatorImpl::FindQueue();
        if (queue == nullptr)
        {
            ScheduleElsewhere(Simulator::Now().GetTimeStep(), context);
            return;
        }
        Cancel();
        queue->PutAtEnd(*this, context);
    }

    /// Not pending: nothing happens.
    void Cancel()
    {
        if (IsQueued())
        {
            FabricSimulatorImpl::FindQueue()->Remove(*this);
        }
        else if (m_carrier)
        {
            CancelElsewhere();
        }
    }

    bool IsPending() const
    {
        return IsQueued() || (m_carrier && IsPendingElsewhere());
    }

  protected:
    explicit FabricEvent(void* subject = nullptr);
    ~FabricEvent();

  private:
    class Carrier;

    void ScheduleElsewhere(int64_t time, uint32_t context);
    void CancelElsewhere();
    bool IsPendingElsewhere() const;

    Ptr<Carrier> m_carrier; ///< with another simulator: what was scheduled there last
};

/// \ingroup fabric
/// The present time in time steps: as Simulator::Now, but faster where it can be.
inline int64_t
FabricNow()
{
    const FabricEventQueue* queue = FabricSimulatorImpl::FindQueue();
    return queue != nullptr ? queue->GetNow() : Simulator::Now().GetTimeStep();
}

/// \ingroup fabric
/// A FabricEvent that calls a method of its owner: `FabricMethodEvent<&Port::OnArrival> m_arrival`.
template <auto METHOD>
class FabricMethodEvent;

/// \copydoc FabricMethodEvent
template <class Owner, void (Owner::*METHOD)()>
class FabricMethodEvent<METHOD> final : public FabricEvent
{
  public:
    /// The owner must outlive the event, as it does when this is its member.
    explicit FabricMethodEvent(Owner& owner)
        : FabricEvent(&owner)
    {
    }

    void Execute() override
    {
        (static_cast<Owner*>(GetSubject())->*METHOD)();
    }

    /// An owner that has a method FetchForEvent is asked.
    void Fetch(FabricFetch distance) const override
    {
        Ask(static_cast<const Owner*>(GetSubject()), distance, 0);
    }

  private:
    /// Preferred where the method exists, as 0 is an int.
    template <class Asked>
    static auto Ask(const Asked* owner, FabricFetch distance, int)
        -> decltype(owner->FetchForEvent(distance))
    {
        owner->FetchForEvent(distance);
    }

    template <class Asked>
    static void Ask(const Asked*, FabricFetch, long)
    {
    }
};

} // namespace ns3

#endif /* FABRIC_EVENT_H */
