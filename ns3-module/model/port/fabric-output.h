// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_OUTPUT_H
#define FABRIC_OUTPUT_H

#include "fabric-arbiter.h"
#include "fabric-port-counters.h"
#include "fabric-start-action.h"

#include "ns3/fabric-event.h"
#include "ns3/fabric-frame.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace ns3
{

class FabricLinkTimes;
class FabricPort;
class FabricPortTrains;
class FabricSharedBuffer;

/// \ingroup fabric
/// The output of a port: what waits there, and which frame starts when.
///
/// The future of an output is a function of what waits at it. So nothing happens when a frame
/// starts or ends. Something may touch the port: a frame to forward, a queue pair that may send, a
/// pause, a look at the counters. Whoever does so first *settles* it: all starts strictly before
/// the present instant are committed, each with the frame that the arbiter would have chosen then,
/// and with the mark, the telemetry and the loss of that time. Since every touch settles first,
/// whatever waits at a commit arrived no later than that start.
///
/// A port at which nothing waits and nothing is being sent is as new: whatever comes first then
/// begins all turns anew. So equal traffic that finds ports idle is served in equal order, whatever
/// was there before.
///
/// Times of a frame: start = the first time, not before the end of the previous one, at which the
/// arbiter may start something and the link is up; end = start + ceil(8 bytes / rate), in
/// picoseconds, at least 1.
///
/// Example: frames take 10 ps. Three frames are enqueued at time 0, and a control frame at 12. The
/// second call settles up to 12: the frames that start at 0 and 10 are committed. The control frame
/// then goes before the third frame, and starts at 20. If it had come at 10, the start at 10 would
/// still have been open, and the control frame would have had it.
///
/// A start at the present instant is tentative: a later touch at the same instant may change which
/// frame it is, or whether there is one. While the node pauses others, an event tells it of each
/// end of transmission.
///
/// Holds after every touch (CheckConservation verifies it), in bytes:
///   enqueued + own = waiting + started + withdrawn, and started = in flight + handed over + lost.
/// A waiting frame is counted from its arrival to its start, so an uncontended back-to-back hop has
/// a queue of 0; frames still in queue pairs are not waiting.
///
/// Owner: the port. What changes the output here does not look after the port's event: the port's
/// own methods, which call these, do.
class FabricOutput
{
  public:
    static constexpr int64_t NEVER = FabricArbiter::NEVER;

    FabricOutput(FabricPort& link, FabricPortTrains& trains);

    /// `buffer` is where the frames that wait here are stored, or null: nobody counts them.
    void Prepare(FabricSharedBuffer* buffer);

    /// From now on nobody counts the frames that wait here: those that do are stored no more.
    /// Requires: settled up to the present instant.
    void StoreNowhere();

    /// From now on, frames are stored in `buffer`: first those that wait or are being sent.
    /// Requires: settled up to `now`; none was stored so far.
    void StoreWaiting(FabricSharedBuffer& buffer, int64_t now);

    /// The most bytes of data that may wait here while nothing happens to a frame at its start;
    /// none: an action may do something in any case, or frames are stored.
    std::optional<uint64_t> FindIdleQueue() const;

    /// Cancels its event, and drops its actions.
    void Dispose();

    /// Frames that start here meet this action too, after those that were added before.
    void AddStartAction(Ptr<FabricStartAction> action);

    /// Whether one of the actions may lose a frame.
    bool CanLose() const;

    /// What waits. Its changes are up to this class and to pauses.
    FabricArbiter& GetArbiter()
    {
        return m_arbiter;
    }

    const FabricArbiter& GetArbiter() const
    {
        return m_arbiter;
    }

    // --- starts ---

    /// Commits all starts strictly before `now`, and releases what has left by `now`. Idempotent.
    void Settle(int64_t now);

    /// The same, of what waits by now, without a look at the trains that are expected.
    void SettleWaiting(int64_t now);

    /// Nothing starts before.
    int64_t GetFree() const
    {
        return m_free;
    }

    /// The frame that started last.
    const FabricFrame& GetCurrent() const
    {
        return m_current;
    }

    /// When the frame that starts next arrives at the far end, as things are now; NEVER: none
    /// starts.
    int64_t PredictArrival() const;

    // --- what comes and goes ---

    /// A frame arrives here at `now`; settles.
    void Enqueue(const FabricFrame& frame, int64_t now);

    /// The same for a frame of a train. Requires: settled up to `now`.
    void Insert(const FabricFrame& frame, int64_t now);

    /// Lets a local queue pair take part as long as it has frames. Requires: settled up to `now`.
    void Update(FabricQueuePair& queuePair, FabricPriority priority, int64_t now);

    /// Lets it take part no more; settles.
    void Remove(const FabricQueuePair& queuePair, FabricPriority priority, int64_t now);

    /// Takes away the whole frames that wait here, but for pauses; settles.
    std::vector<FabricFrame> WithdrawFrames(int64_t now);

    // --- trains, which start in one step ---

    /// `count` frames of a train come and start, the first at GetFree(), `gap` apart.
    /// Requires: nothing else waits. `mostWaiting` bytes waited at most.
    void PassTrain(const FabricFrame& first, uint64_t count, int64_t gap, uint64_t mostWaiting);

    /// `count` frames of the only local queue pair start as `pace` says. Requires: nothing waits,
    /// or comes before the last of these starts.
    void StartLocalTrain(const FabricFrame& first, uint64_t count, const FabricPace& pace);

    // --- departures ---

    /// Whether frames that wait here or are being sent may hold memory of the node.
    bool HoldsMemory() const
    {
        return m_currentStored || m_arbiter.GetWaitingBytes() > 0;
    }

    /// Tells the node of each end of transmission from now on, for as long as something waits or is
    /// being sent.
    void WatchDepartures(int64_t now);

    /// Schedules the event of the next end of transmission, if the node is to be told of it.
    void AwaitDeparture(int64_t now)
    {
        if (m_watchesDepartures)
        {
            ScheduleDeparture(now);
        }
    }

    // --- accounts ---

    /// A frame that was to leave here was dropped, or one was lost on the link.
    void CountDrop()
    {
        ++m_started.drops;
    }

    /// Bytes that were in flight arrived, or will without being in flight.
    void CountHandedOver(uint64_t bytes)
    {
        m_ledger.handedOver += bytes;
    }

    /// Bytes that were counted so are in flight again: they have not arrived.
    void CountInFlight(uint64_t bytes)
    {
        m_ledger.handedOver -= bytes;
    }

    /// What ended by the present instant `now`; settles.
    FabricPortCounters ReadCounters(int64_t now);

    /// Whether a fault ever gave a frame that started another rate than the usual one.
    bool HasAlteredRate() const
    {
        return m_hasAlteredRate;
    }

    /// Counters of all frames that have started.
    const FabricPortCounters& GetStarted() const
    {
        return m_started;
    }

    /// Whether nothing waits, is being sent, or is to be told. Requires: settled up to `now`.
    bool IsAtRest(int64_t now) const
    {
        return m_arbiter.IsEmpty() && m_currentEnd <= now && !m_departure.IsPending();
    }

    /// Counts frames that were not simulated again: they came, started and arrived.
    void AddCounters(const FabricPortCounters& counters);

    /// Begins to count the most that waits anew. \return What it was.
    uint64_t ExchangeMaxQueue(uint64_t bytes)
    {
        return std::exchange(m_started.maxQueueBytes, bytes);
    }

    /// Stops the program unless the conservation law holds.
    void CheckConservation(uint64_t inFlightBytes) const;

  private:
    /// Bytes for the conservation law.
    struct Ledger
    {
        uint64_t enqueued = 0;
        uint64_t own = 0;
        uint64_t withdrawn = 0;
        uint64_t handedOver = 0; ///< or lost
    };

    bool CancelsWaiting(const FabricFrame& frame);
    void ForgetTurnsIfIdle(int64_t now);
    int64_t FindStart() const;
    void SampleQueue();
    void Commit(int64_t start);
    void CommitTrain(const FabricFrame& first, uint64_t count, int64_t gap);
    void Launch(const FabricFrame& frame, int64_t arrival);
    void Act(FabricFrame& frame, int64_t start, int64_t arrival);
    void ReleaseLeft(int64_t now);
    void ScheduleDeparture(int64_t now);
    int64_t FindDeparture(int64_t now) const;
    void OnDeparture();

    FabricPort& m_link;
    const FabricLinkTimes& m_times; ///< of m_link
    FabricPortTrains& m_trains;
    FabricArbiter m_arbiter;
    int64_t m_free = 0;           ///< nothing starts before
    int64_t m_unsampled = NEVER;  ///< instant of arrivals after which no sample was taken yet
    FabricPortCounters m_started; ///< of all committed frames
    Ledger m_ledger;

    FabricFrame m_current;        ///< started last
    int64_t m_currentEnd = 0;     ///< of its transmission
    bool m_currentStored = false; ///< and still in the buffer
    bool m_isPlain = true;        ///< no actions, no buffer
    bool m_watchesDepartures = false;
    bool m_hasAlteredRate = false; ///< HasAlteredRate
    std::vector<Ptr<FabricStartAction>> m_actions;
    FabricSharedBuffer* m_buffer = nullptr;

    int64_t m_expectedDeparture = NEVER;
    FabricMethodEvent<&FabricOutput::OnDeparture> m_departure{*this};
};

} // namespace ns3

#endif /* FABRIC_OUTPUT_H */
