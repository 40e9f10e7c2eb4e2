// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_PORT_H
#define FABRIC_PORT_H

#include "fabric-arbiter.h"
#include "fabric-device.h"
#include "fabric-event.h"
#include "fabric-expected-trains.h"
#include "fabric-frame.h"
#include "fabric-hash.h"
#include "fabric-link-plan.h"
#include "fabric-marking.h"
#include "fabric-pauses.h"
#include "fabric-port-counters.h"
#include "fabric-promises.h"
#include "fabric-ring-buffer.h"
#include "fabric-time.h"
#include "fabric-transmit-time.h"

#include "ns3/data-rate.h"
#include "ns3/ptr.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

class FabricChannel;
class FabricNode;
class FabricSharedBuffer;
class FabricTelemetryPool;
struct FabricFlow;

/// \ingroup fabric
/// One end of a link: an output port that needs no event of its own, and the input of the peer's.
///
/// The future of a port is a function of what waits at it. So nothing happens when a frame starts
/// or ends. Something may touch the port: a frame to forward, a queue pair that may send, a pause,
/// a look at the counters. Whoever does so first *settles* the port: all starts strictly before the
/// present instant are committed, each with the frame that the arbiter would have chosen then, and
/// with the mark, the telemetry and the loss of that time. Since every touch settles first,
/// whatever waits at a commit arrived no later than that start.
///
/// Times of a frame: start = the first time, not before the end of the previous one, at which the
/// arbiter may start something and the link is up; end = start + ceil(8 bytes / rate), in
/// picoseconds, at least 1; it is handed to the peer's node whole, at end + delay of the channel +
/// latency of that node, or, where that node cuts through, as soon as its head is there.
///
/// Example: frames take 10 ps, the delay is 5 ps. Three frames are enqueued at time 0, and a
/// control frame at 12. The second call settles up to 12: the frames that start at 0 and 10 are
/// committed. The control frame then goes before the third frame, and starts at 20. If it had come
/// at 10, the start at 10 would still have been open, and the control frame would have had it.
///
/// A start at the present instant is tentative: a later touch at the same instant may change which
/// frame it is, or whether there is one. The port schedules one event at a time, for the next
/// arrival at the far end: no allocation, and one event for each frame and hop. Where a touch
/// changes a tentative start while nothing is in flight, the event moves. While the node pauses
/// others, a second event tells it of each end of transmission.
///
/// Trains (FabricTrain): where the peer's node need not see each frame arrive, frames are committed
/// without an event, and the peer's output port is told when they come (a promise). That port takes
/// them in when it settles, each at its time. A touch that may change what was promised takes the
/// promise back for all frames that have not started. This is always in time, because the arrivals
/// of these frames lie ahead, and no port has taken them in yet (docs/trains.md).
///
/// Holds after every touch (CheckConservation verifies it, tests call it), in bytes:
///   enqueued + own = waiting + started + withdrawn, and started = in flight + handed over + lost.
/// A waiting frame is counted from its arrival to its start, so an uncontended back-to-back hop has
/// a queue of 0; frames still in queue pairs are not waiting.
class FabricPort : public FabricDevice
{
  public:
    /// Signature of the trace sources: when, what, whose; `flow` is null for pause frames.
    typedef void (*FrameTracedCallback)(int64_t picoseconds,
                                        const FabricFrame& frame,
                                        const FabricFlow* flow);

    /// \return The object TypeId.
    static TypeId GetTypeId();

    FabricPort();
    ~FabricPort() override;

    /// Called by the FabricNode that gets this port.
    void JoinNode(FabricNode& node, uint32_t index);

    /// Called by the FabricChannel that joins this port to `peer`.
    void JoinChannel(Ptr<FabricChannel> channel, FabricPort& peer);

    /// Called by the fabric when all links are connected: `buffer` is where the frames that wait
    /// here are stored, or null.
    void Prepare(FabricSharedBuffer* buffer);

    /// The port's number in its node.
    uint32_t GetIndex() const
    {
        return m_index;
    }

    FabricNode& GetFabricNode() const
    {
        return *m_fabricNode;
    }

    /// The other end of the link. Requires: connected.
    FabricPort& GetPeer() const;

    Ptr<Channel> GetChannel() const override;
    bool IsLinkUp() const override;

    /// The rate applies from the next frame.
    void SetDataRate(DataRate rate);
    DataRate GetDataRate() const;

    /// Something will be wrong with this direction of the link for a while.
    /// Requires: the present instant is no later than its beginning.
    void AddFault(const FabricLinkFault& fault);

    /// Null without faults.
    const FabricLinkPlan* GetPlan() const
    {
        return m_plan.get();
    }

    /// From a frame's end to its arrival, in picoseconds.
    int64_t GetDelay() const
    {
        return m_delay;
    }

    /// How long a frame occupies the healthy link, in picoseconds.
    int64_t ComputeTransmitTime(uint32_t bytes) const
    {
        return m_transmitTime(bytes);
    }

    /// When a frame that starts on the healthy link at `time` has arrived whole. Where the clock
    /// ends before, the fabric is told, and the call does not return.
    int64_t AddTransferTime(int64_t time, uint32_t bytes) const
    {
        return AddTime(AddTime(time, m_transmitTime(bytes)), m_delay);
    }

    /// Commits all starts strictly before `now`, and releases what has left by `now`. Idempotent.
    void Settle(int64_t now);

    /// A frame arrives at this output at the present instant `now`.
    void Enqueue(const FabricFrame& frame, int64_t now);

    /// Lets a queue pair of this node take part as long as it has frames.
    /// Requires: the port was settled up to `now` before the queue pair changed.
    void Update(FabricQueuePair& queuePair, FabricPriority priority, int64_t now);

    /// Called by the fabric when it is known whether trains can be.
    void PrepareTrains();

    /// Frames of this train will arrive at this output, and no further call announces them: the
    /// port takes them in when it settles.
    void Expect(const FabricTrain& train, int64_t now);

    /// Takes an announcement back: of the frames of `flow` expected by way of `ingress`, those from
    /// number `end` on will come by events of their own, if at all. Requires: none of them has
    /// arrived by `now`.
    void CutTrain(uint32_t ingress, uint32_t flow, uint64_t end, int64_t now);

    /// The queue pair leaves by another port from now on.
    void Remove(const FabricQueuePair& queuePair, FabricPriority priority, int64_t now);

    /// Takes away the whole frames that wait here, but for pauses, to be sent another way.
    std::vector<FabricFrame> WithdrawFrames(int64_t now);

    /// The state of the link, or of the routes, may have changed: looks again for the next start,
    /// and ends the pauses that a link which was down cannot be trusted with.
    void Reconsider(int64_t now);

    /// Tells the node of each end of transmission from now on (FabricNode::RequestFinishArrivals),
    /// for as long as something waits or is being sent.
    void WatchDepartures(int64_t now);

    /// A frame that was to leave here was dropped.
    void CountDrop();

    /// Since when this priority has been paused by the peer without interruption; NEVER: it is not.
    int64_t GetPausedSince(FabricPriority priority) const;

    /// What ended by the present instant `now`; settles.
    FabricPortCounters ReadCounters(int64_t now);

    /// Bytes of whole frames that wait at `now`; settles.
    uint64_t ReadQueueBytes(int64_t now);

    /// Calls `visit(frame)` for each data frame in transit that waits.
    template <class Visitor>
    void VisitTransit(Visitor visit) const
    {
        m_arbiter.VisitTransit(visit);
    }

    /// Stops the program unless the conservation law above holds.
    void CheckConservation() const;

    static constexpr int64_t NEVER = FabricArbiter::NEVER;

  protected:
    void DoDispose() override;

  private:
    /// A committed frame.
    struct FlyingFrame
    {
        FabricFrame frame;
        int64_t arrival = 0; ///< when the peer's node acts on it
    };

    /// Bytes for the conservation law.
    struct Ledger
    {
        uint64_t enqueued = 0;
        uint64_t own = 0;
        uint64_t withdrawn = 0;
        uint64_t handedOver = 0; ///< or lost
    };

    /// time + span, of frames on this link: see AddTransferTime.
    int64_t AddTime(int64_t time, int64_t span) const
    {
        const int64_t sum = FabricAddTime(time, span);
        if (sum == FABRIC_CLOCK_END)
        {
            ReportClockEnd();
        }
        return sum;
    }

    [[noreturn]] void ReportClockEnd() const;
    int64_t FindStart() const;
    void SampleQueue();
    void SettleWaiting(int64_t now);
    void Insert(const FabricFrame& frame, int64_t now);
    void Commit(int64_t start);
    void Launch(const FabricFrame& frame, int64_t arrival);
    void Describe(FabricFrame& frame, int64_t start, int64_t arrival);
    void AddTelemetry(const FabricFrame& frame, int64_t start);
    bool DrawMark(const FabricFrame& frame) const;
    bool DrawLoss(const FabricFrame& frame, int64_t start, int64_t arrival) const;
    double Draw(FabricPurpose purpose, const FabricFrame& frame) const;
    int64_t ComputeTime(uint32_t bytes, int64_t start);
    int64_t ComputeArrival(uint32_t bytes, int64_t start);
    void ReleaseLeft(int64_t now);
    void Await(int64_t now);
    int64_t PredictArrival();
    void AwaitDeparture(int64_t now);
    void ScheduleArrival(int64_t at);
    void OnArrival();
    void HandOver(const FabricFrame& frame, int64_t now);
    void OnDeparture();
    void Receive(FabricFrame frame, int64_t now);
    void ReceivePause(const FabricFrame& frame, int64_t now);
    void EndPause(FabricPriority priority, int64_t now);
    const FabricFlow* FindFlow(const FabricFrame& frame) const;

    // fabric-port-trains.cc
    void TakeInExpected(int64_t now);
    bool PassTrain(int64_t now);
    bool StartLocalTrain(int64_t now);
    uint64_t CountForetold(const FabricFrame& frame, uint64_t most);
    void CommitTrain(const FabricFrame& first, uint64_t count, int64_t gap);
    int64_t PredictSeenArrival();
    int64_t PredictTransit();
    int64_t PredictExpected();
    int64_t PredictLocal(const FabricRoundRobin& local);
    uint64_t CountUnseen(const FabricQueuePair& queuePair);
    void Promise(const FabricFrame& head, int64_t now);
    std::optional<FabricTrain> ForetellLocal(const FabricFrame& head);
    std::optional<FabricTrain> ForetellTransit(const FabricFrame& head);
    bool IsOnlyTransit() const;
    bool IsOnlyFlow(const FabricFrame& head) const;
    void TakeInFlight(FabricTrain& train);
    void BreakPromises(int64_t now);

    void SetMarkMin(uint64_t bytes);
    uint64_t GetMarkMin() const;
    void SetMarkMax(uint64_t bytes);
    uint64_t GetMarkMax() const;
    void SetMarkProbability(double probability);
    double GetMarkProbability() const;
    void SetWeights(FabricPriorityWeights weights);
    FabricPriorityWeights GetWeights() const;

    FabricArbiter m_arbiter;
    int64_t m_linkFree = 0;            ///< nothing starts before
    int64_t m_unsampled = NEVER;       ///< instant of arrivals after which no sample was taken yet
    int64_t m_expectedArrival = NEVER; ///< what the pending event stands for
    int64_t m_delay = 0;               ///< from end of transmission to arrival
    FabricTransmitTime m_transmitTime;
    FabricRingBuffer<FlyingFrame> m_inFlight;
    FabricMethodEvent<&FabricPort::OnArrival> m_arrival{*this};
    FabricPortCounters m_started; ///< of all committed frames
    Ledger m_ledger;

    FabricFrame m_current;        ///< started last
    int64_t m_currentEnd = 0;     ///< of its transmission
    bool m_currentStored = false; ///< and still in the buffer
    bool m_isPlain = true;        ///< no marks, no buffer, no faults
    uint32_t m_headBytes = 0;     ///< after which the peer may pass a frame on; 0: the whole frame
    FabricMarking m_marking;
    FabricSharedBuffer* m_buffer = nullptr;
    FabricTelemetryPool* m_telemetry = nullptr;
    std::unique_ptr<FabricLinkPlan> m_plan;

    int64_t m_expectedDeparture = NEVER;
    FabricMethodEvent<&FabricPort::OnDeparture> m_departure{*this};
    bool m_watchesDepartures = false;

    bool m_formsTrains = false;      ///< frames may start here without an event for each
    FabricExpectedTrains m_expected; ///< what will arrive at this output unasked
    FabricPromises m_promises;       ///< about what will start here

    FabricPauses m_pauses;
    FabricPort* m_peer = nullptr;
    FabricNode* m_fabricNode = nullptr;
    uint32_t m_index = 0;
    uint32_t m_context = 0; ///< of the peer's ns-3 node, where arrivals happen
    DataRate m_dataRate;
    Ptr<FabricChannel> m_channel;
    TracedCallback<int64_t, const FabricFrame&, const FabricFlow*> m_transmitTrace;
    TracedCallback<int64_t, const FabricFrame&, const FabricFlow*> m_receiveTrace;
};

} // namespace ns3

#endif /* FABRIC_PORT_H */
