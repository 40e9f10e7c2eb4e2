// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-event.h"

#include "ns3/abort.h"
#include "ns3/event-impl.h"

namespace ns3
{

/// What stands for a FabricEvent in the event list of another simulator.
class FabricEvent::Carrier : public EventImpl
{
  public:
    explicit Carrier(FabricEvent& event)
        : m_event(&event)
    {
    }

    // With another simulator the carrier cannot be taken out of the event list; without an event it
    // does nothing when its time comes.
    void Forget()
    {
        m_event = nullptr;
    }

    /// Pending: it stands for an event, and the simulator holds it beside that event.
    bool IsPending() const
    {
        return m_event != nullptr && GetReferenceCount() > 1;
    }

  private:
    void Notify() override
    {
        if (m_event != nullptr)
        {
            // Forgotten first: Execute may schedule the event again, with a new carrier.
            FabricEvent& event = *m_event;
            Forget();
            event.Execute();
        }
    }

    FabricEvent* m_event;
};

FabricEvent::FabricEvent(void* subject)
    : FabricQueuedEvent(subject)
{
}

FabricEvent::~FabricEvent()
{
    Cancel();
}

void
FabricEvent::ScheduleElsewhere(int64_t time, uint32_t context)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    if (FabricSimulatorImpl::FindQueue() != nullptr) // that call may have made the simulator
    {
        ScheduleAt(time, context);
        return;
    }
    NS_ABORT_MSG_IF(time < now, "an event was scheduled for the past");
    Cancel();
    m_carrier = Create<Carrier>(*this);
    m_carrier->Ref(); // the simulator drops one reference when the event has run
    Simulator::ScheduleWithContext(
        context, TimeStep(static_cast<uint64_t>(time - now)), PeekPointer(m_carrier));
}

void
FabricEvent::CancelElsewhere()
{
    m_carrier->Forget();
    m_carrier = nullptr;
}

bool
FabricEvent::IsPendingElsewhere() const
{
    return m_carrier->IsPending();
}

} // namespace ns3
