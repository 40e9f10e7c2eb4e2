// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_SIMULATOR_IMPL_H
#define FABRIC_SIMULATOR_IMPL_H

#include "fabric-carried-events.h"
#include "fabric-event-queue.h"

#include "ns3/simulator-impl.h"
#include "ns3/simulator.h"

#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

namespace ns3
{

/// \ingroup fabric
/// ns-3's simulator around a FabricEventQueue, which orders ns-3's own events and FabricEvents
/// alike. FabricHelper::UseFabricSimulator or the global value SimulatorImplementationType chooses
/// it.
///
/// For users of ns3::Simulator all is as with ns3::DefaultSimulatorImpl, but faster: an event that
/// is cancelled keeps its place and counts when its time comes, one that is removed does not; an
/// event of zero delay runs at its instant after all that was scheduled before it; another thread
/// may call ScheduleWithContext, and nothing else. To remove an event takes constant time. Ids stay
/// right after ns-3's 32-bit numbers have wrapped.
///
/// What asked for the end of an instant (FabricEvent::ScheduleAtEndOfInstant) is called when no
/// event is due at it any more, and is not counted as an event. While it waits, the simulation is
/// not finished.
///
/// The event list is part of it: SetScheduler changes nothing.
class FabricSimulatorImpl final : public SimulatorImpl
{
  public:
    /// \return The object TypeId.
    static TypeId GetTypeId();

    FabricSimulatorImpl();
    ~FabricSimulatorImpl() override;

    /// The queue of ns-3's simulator; null while that is another or none.
    static FabricEventQueue* FindQueue()
    {
        return s_queue;
    }

    void Destroy() override;
    bool IsFinished() const override;
    /// May also be called from a signal handler.
    void Stop() override;
    void Stop(const Time& delay) override;
    EventId Schedule(const Time& delay, EventImpl* event) override;
    void ScheduleWithContext(uint32_t context, const Time& delay, EventImpl* event) override;
    EventId ScheduleNow(EventImpl* event) override;
    EventId ScheduleDestroy(EventImpl* event) override;
    void Remove(const EventId& id) override;
    void Cancel(const EventId& id) override;
    bool IsExpired(const EventId& id) const override;
    void Run() override;
    Time Now() const override;
    Time GetDelayLeft(const EventId& id) const override;
    Time GetMaximumSimulationTime() const override;
    /// ns-3 calls this once, when it makes this its simulator.
    void SetScheduler(ObjectFactory schedulerFactory) override;
    uint32_t GetSystemId() const override;
    uint32_t GetContext() const override;
    uint64_t GetEventCount() const override;

  private:
    friend class FabricPrivateTime;

    /// An event that another thread has scheduled; its delay counts from when it is taken in.
    struct ForeignEvent
    {
        Time delay;
        uint32_t context;
        EventImpl* impl;
    };

    void DoDispose() override;
    void SetScrambleSeed(uint64_t seed);
    void SetFirstSequence(uint64_t sequence);
    FabricCarriedEvent& Put(const Time& delay, uint32_t context, EventImpl* event);
    void PutForeign();
    void DropAll();
    bool IsPendingDestroy(const EventId& id) const;

    static inline FabricEventQueue* s_queue = nullptr;

    FabricEventQueue m_queue;
    FabricCarriedEvents m_carried;
    uint32_t m_context = Simulator::NO_CONTEXT;
    uint64_t m_eventCount = 0;
    std::atomic<bool> m_stop = false;
    std::list<EventId> m_destroyEvents;

    std::thread::id m_mainThread;
    std::mutex m_foreignMutex; ///< guards m_foreign
    std::vector<ForeignEvent> m_foreign;
    std::atomic<bool> m_hasForeign = false;
};

} // namespace ns3

#endif /* FABRIC_SIMULATOR_IMPL_H */
