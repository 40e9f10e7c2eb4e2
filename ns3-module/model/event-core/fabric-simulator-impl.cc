// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-simulator-impl.h"

#include "ns3/abort.h"
#include "ns3/assert.h"
#include "ns3/make-event.h"
#include "ns3/nstime.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricSimulatorImpl);

TypeId
FabricSimulatorImpl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricSimulatorImpl")
            .SetParent<SimulatorImpl>()
            .SetGroupName("Fabric")
            .AddConstructor<FabricSimulatorImpl>()
            .AddAttribute("ScrambleSeed",
                          "Executes the events of one instant in an order scrambled by this "
                          "number; 0: in order of scheduling. Set before anything is scheduled.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricSimulatorImpl::SetScrambleSeed),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("FirstSequence",
                          "Where the count of scheduled events begins; anything but 0 is for "
                          "tests. Set before anything is scheduled.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricSimulatorImpl::SetFirstSequence),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

FabricSimulatorImpl::FabricSimulatorImpl()
    : m_mainThread(std::this_thread::get_id())
{
}

FabricSimulatorImpl::~FabricSimulatorImpl() = default;

void
FabricSimulatorImpl::SetScheduler(ObjectFactory)
{
    // ns-3 calls this for the simulator that it is going to use, and for no other. So this is the
    // moment from which FabricEvents may go to this queue.
    s_queue = &m_queue;
}

void
FabricSimulatorImpl::Destroy()
{
    // One at a time from the front, because an event may schedule further destroy events, which run
    // too.
    while (!m_destroyEvents.empty())
    {
        const Ptr<EventImpl> event = m_destroyEvents.front().PeekEventImpl();
        m_destroyEvents.pop_front();
        event->Invoke(); // does nothing if it was cancelled
    }
    DropAll();
}

void
FabricSimulatorImpl::DoDispose()
{
    DropAll();
    SimulatorImpl::DoDispose();
}

void
FabricSimulatorImpl::DropAll()
{
    // Events of other threads are taken in first, so that they are dropped with the others.
    PutForeign();
    m_queue.DropAll();
    if (s_queue == &m_queue)
    {
        s_queue = nullptr;
    }
}

void
FabricSimulatorImpl::Run()
{
    // The thread that runs the simulation need not be the one that made the simulator.
    m_mainThread = std::this_thread::get_id();
    PutForeign();
    // A Stop before Run has no effect, as with ns-3's own simulator.
    m_stop.store(false, std::memory_order_relaxed);
    while (!m_queue.IsEmpty() && !m_stop.load(std::memory_order_relaxed))
    {
        const bool isEnd = m_queue.IsAtEnd();
        FabricQueuedEvent& event = isEnd ? m_queue.TakeEnd() : m_queue.TakeNext();
        m_eventCount += !isEnd;
        m_context = event.GetContext();
        event.Execute();
        if (m_hasForeign.load(std::memory_order_relaxed))
        {
            PutForeign();
        }
    }
}

bool
FabricSimulatorImpl::IsFinished() const
{
    return m_queue.IsEmpty() || m_stop.load(std::memory_order_relaxed);
}

void
FabricSimulatorImpl::Stop()
{
    m_stop.store(true, std::memory_order_relaxed);
}

void
FabricSimulatorImpl::Stop(const Time& delay)
{
    Schedule(delay, MakeEvent([this] { Stop(); }));
}

/// Takes over the reference that `event` comes with.
FabricCarriedEvent&
FabricSimulatorImpl::Put(const Time& delay, uint32_t context, EventImpl* event)
{
    // Unsigned, so that a sum beyond the clock's end is defined; it becomes negative, and the queue
    // refuses it as an event of the past.
    const uint64_t time =
        static_cast<uint64_t>(m_queue.GetNow()) + static_cast<uint64_t>(delay.GetTimeStep());
    FabricCarriedEvent& carried = m_carried.Take(event);
    m_queue.Put(carried, static_cast<int64_t>(time), context);
    return carried;
}

/// Takes in what other threads have scheduled since the last call. Their delays count from now, as
/// other threads cannot know the time.
void
FabricSimulatorImpl::PutForeign()
{
    // The lock protects the events. The flag may be seen late; then the events only come in after a
    // later event of this thread.
    if (!m_hasForeign.load(std::memory_order_relaxed))
    {
        return;
    }
    std::vector<ForeignEvent> events;
    {
        const std::lock_guard lock(m_foreignMutex);
        events.swap(m_foreign);
        m_hasForeign.store(false, std::memory_order_relaxed);
    }
    // Put without the lock, so that the other threads need not wait for the queue.
    for (const ForeignEvent& event : events)
    {
        Put(event.delay, event.context, event.impl);
    }
}

EventId
FabricSimulatorImpl::Schedule(const Time& delay, EventImpl* event)
{
    NS_ASSERT_MSG(m_mainThread == std::this_thread::get_id(), "Schedule from another thread");
    return FabricCarriedEvents::MakeId(Put(delay, m_context, event));
}

EventId
FabricSimulatorImpl::ScheduleNow(EventImpl* event)
{
    return Schedule(TimeStep(0), event);
}

void
FabricSimulatorImpl::ScheduleWithContext(uint32_t context, const Time& delay, EventImpl* event)
{
    if (m_mainThread == std::this_thread::get_id())
    {
        Put(delay, context, event);
        return;
    }
    const std::lock_guard lock(m_foreignMutex);
    m_foreign.push_back({delay, context, event});
    m_hasForeign.store(true, std::memory_order_relaxed);
}

EventId
FabricSimulatorImpl::ScheduleDestroy(EventImpl* event)
{
    const auto now = static_cast<uint64_t>(m_queue.GetNow());
    // `false`: the id takes over the one reference that the event comes with.
    const EventId id(Ptr<EventImpl>(event, false), now, Simulator::NO_CONTEXT, EventId::DESTROY);
    m_destroyEvents.push_back(id);
    return id;
}

void
FabricSimulatorImpl::Remove(const EventId& id)
{
    if (id.GetUid() == EventId::DESTROY)
    {
        m_destroyEvents.remove(id);
        return;
    }
    if (IsExpired(id))
    {
        return;
    }
    FabricCarriedEvent& event = *m_carried.Find(id);
    m_queue.Remove(event);
    EventImpl* impl = m_carried.Release(event);
    impl->Cancel();
    impl->Unref();
}

void
FabricSimulatorImpl::Cancel(const EventId& id)
{
    if (!IsExpired(id))
    {
        // The event stays in the queue, and does nothing when its time comes. Remove takes it out
        // at once.
        id.PeekEventImpl()->Cancel();
    }
}

bool
FabricSimulatorImpl::IsExpired(const EventId& id) const
{
    // An id may outlive its event, and the carrier of that is then used for another event. So Find
    // compares all that the id has (FabricCarriedEvents).
    const bool isPending =
        id.GetUid() == EventId::DESTROY ? IsPendingDestroy(id) : m_carried.Find(id) != nullptr;
    return !isPending || id.PeekEventImpl()->IsCancelled();
}

bool
FabricSimulatorImpl::IsPendingDestroy(const EventId& id) const
{
    const auto end = m_destroyEvents.end();
    return id.PeekEventImpl() != nullptr && std::find(m_destroyEvents.begin(), end, id) != end;
}

Time
FabricSimulatorImpl::Now() const
{
    return TimeStep(static_cast<uint64_t>(m_queue.GetNow()));
}

Time
FabricSimulatorImpl::GetDelayLeft(const EventId& id) const
{
    const uint64_t now = static_cast<uint64_t>(m_queue.GetNow());
    return TimeStep(IsExpired(id) ? 0 : id.GetTs() - now);
}

Time
FabricSimulatorImpl::GetMaximumSimulationTime() const
{
    return TimeStep(static_cast<uint64_t>(FabricEventQueue::NEVER));
}

uint32_t
FabricSimulatorImpl::GetSystemId() const
{
    return 0; // the simulation is not distributed
}

uint32_t
FabricSimulatorImpl::GetContext() const
{
    return m_context;
}

uint64_t
FabricSimulatorImpl::GetEventCount() const
{
    return m_eventCount;
}

void
FabricSimulatorImpl::SetScrambleSeed(uint64_t seed)
{
    m_queue.SetScrambleSeed(seed);
}

void
FabricSimulatorImpl::SetFirstSequence(uint64_t sequence)
{
    m_queue.SetFirstSequence(sequence);
}

} // namespace ns3
