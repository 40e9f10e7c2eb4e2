// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_ARBITER_H
#define FABRIC_ARBITER_H

#include "fabric-priority-weights.h"
#include "fabric-round-robin.h"

#include "ns3/fabric-frame.h"
#include "ns3/fabric-ring-buffer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace ns3
{

/// \ingroup fabric
/// Frames of one priority that wait at a port.
///
/// Order: by arrival; arrivals of one instant by ingress port, whatever the order of the calls
/// (T2). One ingress cannot deliver two frames at one instant, so the order depends on nothing
/// else. What a node itself sends in answer to one frame has one ingress, and keeps the order in
/// which it was inserted.
class FabricFrameQueue
{
  public:
    bool IsEmpty() const
    {
        return m_frames.IsEmpty();
    }

    uint64_t GetBytes() const
    {
        return m_bytes;
    }

    const FabricFrame& Front() const
    {
        return m_frames.Front();
    }

    std::size_t GetSize() const
    {
        return m_frames.GetSize();
    }

    const FabricFrame& operator[](std::size_t index) const
    {
        return m_frames[index];
    }

    /// Requires: none of the frames that arrived at `now` has been taken.
    void Insert(const FabricFrame& frame, int64_t now);

    /// Puts back a frame that was taken, behind all others, without regard to its ingress: for a
    /// caller that takes all frames in turn and keeps their order.
    void Append(const FabricFrame& frame);

    FabricFrame Take();

  private:
    FabricRingBuffer<FabricFrame> m_frames;
    uint64_t m_bytes = 0;
    int64_t m_instant = std::numeric_limits<int64_t>::min(); ///< of the latest arrival
    std::size_t m_newcomers = 0;                             ///< that arrived at m_instant
};

/// \ingroup fabric
/// What waits at an output port, and in which order it starts.
///
/// Order: pause frames; other control frames; then data as FabricPriorityWeights says. Within a
/// data priority, frames in transit and the local queue pairs alternate frame by frame while both
/// wait, transit first; local queue pairs take turns as FabricRoundRobin says. The port alone
/// decides when a frame starts.
class FabricArbiter
{
  public:
    static constexpr int64_t NEVER = FabricRoundRobin::NEVER;

    /// Requires: nothing waits.
    void SetWeights(const FabricPriorityWeights& weights)
    {
        m_weights = weights;
    }

    const FabricPriorityWeights& GetWeights() const
    {
        return m_weights;
    }

    /// The first time >= `from` at which something may start; NEVER if nothing may.
    int64_t FindStart(int64_t from) const;

    /// Bytes of the whole frames that wait; those still in queue pairs do not count.
    uint64_t GetWaitingBytes() const
    {
        return m_waitingBytes;
    }

    /// Of these, data frames of one priority.
    uint64_t GetWaitingBytes(FabricPriority priority) const;

    void Insert(const FabricFrame& frame, int64_t now);

    /// What CancelOpposite has taken away.
    struct Cancelled
    {
        uint32_t count = 0;          ///< several where a pause was repeated
        bool isSomeRepeated = false; ///< so that the peer may be paused without them
    };

    /// Takes away the waiting pause frames that `frame`, a pause frame too, would undo: they need
    /// not be sent, nor need `frame`, unless one of them repeats what was sent before.
    Cancelled CancelOpposite(const FabricFrame& frame);

    /// Lets a local queue pair of this priority take part as long as it has a frame.
    /// \return As FabricRoundRobin::Update.
    bool Update(FabricQueuePair& queuePair, FabricPriority priority);

    void Remove(const FabricQueuePair& queuePair, FabricPriority priority);

    /// Data of this priority does not start before Resume.
    void Pause(FabricPriority priority)
    {
        m_pausedClasses |= 1U << priority;
    }

    void Resume(FabricPriority priority)
    {
        m_pausedClasses &= ~(1U << priority);
    }

    bool IsPaused() const
    {
        return m_pausedClasses != 0;
    }

    bool IsPaused(FabricPriority priority) const
    {
        return (m_pausedClasses >> priority & 1U) != 0;
    }

    /// Wire bytes of the frame that Take() would give. Requires: FindStart(start) == start.
    uint32_t PeekBytes(int64_t start) const;

    /// Removes the frame that starts at `start`. Requires: as PeekBytes.
    FabricFrame Take(int64_t start);

    /// Whether nothing waits and no local queue pair takes part.
    bool IsEmpty() const;

    /// All turns begin anew: whom they would come to next counts no more. Requires: IsEmpty().
    void ForgetTurns();

    /// How many of the frames that wait need an event at the next node, because somebody acts on
    /// their arrival there (they are not `endsUnseen`).
    uint64_t GetNSeen() const
    {
        return m_seenFrames;
    }

    /// The local queue pairs of the only priority that has any data here, or of any where none has;
    /// null where several have.
    const FabricRoundRobin* GetOnlyLocal() const
    {
        const Class* const only = FindOnlyClass();
        return only ? &only->local : nullptr;
    }

    FabricRoundRobin* GetOnlyLocal()
    {
        return const_cast<FabricRoundRobin*>(std::as_const(*this).GetOnlyLocal());
    }

    /// The local queue pair that has frames while nothing else waits; null: there is none.
    const FabricQueuePair* FindOnlySender() const
    {
        const Class* const only = m_waitingBytes == 0 ? FindOnlyClass() : nullptr;
        return only && only->local.GetSize() == 1 ? &only->local.Get(0) : nullptr;
    }

    /// The data frames in transit of that priority. Requires: GetOnlyLocal().
    const FabricFrameQueue& GetOnlyTransit() const
    {
        return FindOnlyClass()->transit;
    }

    /// That priority. Requires: GetOnlyLocal().
    FabricPriority GetOnlyPriority() const
    {
        return ToPriority(IndexOf(*FindOnlyClass()));
    }

    /// Whether any local queue pair takes part, of whatever priority.
    bool HasLocal() const;

    /// How many data frames in transit wait, of all priorities.
    uint64_t CountTransit() const;

    /// The bytes of these frames.
    uint64_t CountTransitBytes() const;

    /// How many steps the walks over local queue pairs took so far.
    uint64_t CountSteps() const;

    /// Starts `count` frames of the only local queue pair. Requires: nothing else waits, and as
    /// FabricRoundRobin::TakeTrain.
    void TakeLocalTrain(uint64_t count, int64_t lastStart);

    /// `count` frames in transit have come and started, one after the other, with nothing else
    /// waiting. Requires: count > 0.
    void PassTrain(FabricPriority priority, uint64_t count);

    /// Removes all whole frames but those of the link itself, in the order of priority and arrival.
    std::vector<FabricFrame> TakeFrames();

    /// Calls `visit(frame)` for each data frame in transit.
    template <class Visitor>
    void VisitTransit(Visitor visit) const;

  private:
    /// Data of one priority.
    struct Class
    {
        FabricFrameQueue transit;
        FabricRoundRobin local;
        bool isTransitNext = true;
    };

    static FabricPriority ToPriority(std::size_t index)
    {
        return static_cast<FabricPriority>(index + FABRIC_DATA_PRIORITY);
    }

    std::size_t IndexOf(const Class& asked) const
    {
        return static_cast<std::size_t>(&asked - m_classes.data());
    }

    /// The only class that has data, or any if none has; null: several have, or there is none.
    const Class* FindOnlyClass() const
    {
        if (m_classes.size() == 1)
        {
            return &m_classes.front();
        }
        return m_classes.empty() ? nullptr : FindOnlyOfSeveral();
    }

    const Class* FindOnlyOfSeveral() const;
    Class& GetClass(FabricPriority priority);
    int64_t FindStart(std::size_t index, int64_t from) const;
    bool MayStart(std::size_t index, int64_t start) const;
    std::size_t ChooseClass(int64_t start) const;
    bool IsTransitChosen(const Class& chosen, int64_t start) const;
    void CountTurns(std::size_t index, uint64_t count);
    void CountWaiting(const FabricFrame& frame);
    void CountTaken(const FabricFrame& frame);

    FabricFrameQueue m_pauses;
    FabricFrameQueue m_control;
    std::vector<Class> m_classes; ///< by priority from 1; as many as were ever used
    FabricPriorityWeights m_weights;
    uint64_t m_waitingBytes = 0;
    uint64_t m_seenFrames = 0;    ///< of those that wait, not `endsUnseen`
    std::size_t m_turn = 0;       ///< the weighted class served last
    uint32_t m_turnsLeft = 0;     ///< that it still has in a row
    uint32_t m_pausedClasses = 0; ///< bits by priority
};

inline int64_t
FabricArbiter::FindStart(int64_t from) const
{
    if (!m_control.IsEmpty() || !m_pauses.IsEmpty())
    {
        return from;
    }
    int64_t earliest = NEVER;
    for (std::size_t i = 0; i < m_classes.size() && earliest > from; ++i)
    {
        earliest = std::min(earliest, FindStart(i, from));
    }
    return earliest;
}

inline int64_t
FabricArbiter::FindStart(std::size_t index, int64_t from) const
{
    if (m_pausedClasses != 0 && IsPaused(ToPriority(index)))
    {
        return NEVER;
    }
    const Class& asked = m_classes[index];
    return asked.transit.IsEmpty() ? asked.local.FindStart(from) : from;
}

inline bool
FabricArbiter::IsEmpty() const
{
    return m_waitingBytes == 0 && !HasLocal();
}

inline bool
FabricArbiter::HasLocal() const
{
    bool hasLocal = false;
    for (std::size_t i = 0; i < m_classes.size() && !hasLocal; ++i)
    {
        hasLocal = !m_classes[i].local.IsEmpty();
    }
    return hasLocal;
}

inline uint64_t
FabricArbiter::CountTransit() const
{
    uint64_t count = 0;
    for (const Class& present : m_classes)
    {
        count += present.transit.GetSize();
    }
    return count;
}

inline uint64_t
FabricArbiter::CountTransitBytes() const
{
    uint64_t bytes = 0;
    for (const Class& present : m_classes)
    {
        bytes += present.transit.GetBytes();
    }
    return bytes;
}

template <class Visitor>
void
FabricArbiter::VisitTransit(Visitor visit) const
{
    for (const Class& present : m_classes)
    {
        for (std::size_t i = 0; i < present.transit.GetSize(); ++i)
        {
            visit(present.transit[i]);
        }
    }
}

} // namespace ns3

#endif /* FABRIC_ARBITER_H */
