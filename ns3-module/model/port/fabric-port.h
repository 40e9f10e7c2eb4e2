// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_PORT_H
#define FABRIC_PORT_H

#include "fabric-calm-bound.h"
#include "fabric-device.h"
#include "fabric-link-times.h"
#include "fabric-output.h"
#include "fabric-pauses.h"
#include "fabric-port-counters.h"
#include "fabric-port-trains.h"

#include "ns3/data-rate.h"
#include "ns3/fabric-event.h"
#include "ns3/fabric-frame.h"
#include "ns3/fabric-ring-buffer.h"
#include "ns3/ptr.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

class FabricChannel;
class FabricNode;
class FabricSharedBuffer;
struct FabricFlow;

/// \ingroup fabric
/// A frame that has started and has not arrived.
struct FabricFlyingFrame
{
    FabricFrame frame;
    int64_t arrival = 0; ///< when the peer's node acts on it
};

/// \ingroup fabric
/// One end of a link: the device that frames leave by, and that the peer's frames come in by.
///
/// It knows the link: its channel, the frames in flight, the pauses of the peer. How long frames
/// take is up to its FabricLinkTimes; what waits here, and which frame starts when, to its
/// FabricOutput; what needs no event for each frame, to its FabricPortTrains.
///
/// A frame is handed to the peer's node whole, at the end of its transmission + delay of the
/// channel + latency of that node, or, where that node cuts through, as soon as its head is there.
/// The port schedules one event at a time, for the next arrival at the far end: no allocation, and
/// one event for each frame and hop. Each method that touches the output settles it first
/// (FabricOutput), and looks in the end whether the event is still right: where a touch changes a
/// tentative start while nothing is in flight, the event moves.
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

    /// Called by the fabric when it is known whether trains can be.
    void PrepareTrains()
    {
        m_trains.Prepare();
        m_bound.Prepare();
    }

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

    DataRate GetDataRate() const
    {
        return m_dataRate;
    }

    /// When frames that start here end and arrive.
    const FabricLinkTimes& GetTimes() const
    {
        return m_times;
    }

    /// Something will be wrong with this direction of the link for a while.
    /// Requires: the present instant is no later than its beginning.
    void AddFault(const FabricLinkFault& fault);

    /// Frames that start here meet this action. Those of the port's own attributes come last.
    /// Requires: called before the first message.
    void AddStartAction(Ptr<FabricStartAction> action)
    {
        m_output.AddStartAction(action);
    }

    /// Whether frames that start here may be lost.
    bool CanLose() const
    {
        return m_output.CanLose();
    }

    /// Whether a fault ever gave a frame that started here another rate than the usual one.
    bool HasAlteredRate() const
    {
        return m_output.HasAlteredRate();
    }

    /// Of the peer's ns-3 node, where arrivals happen.
    uint32_t GetContext() const
    {
        return m_context;
    }

    // --- touches, at the present instant `now` ---

    /// Commits all starts strictly before `now`, and releases what has left by `now`. Idempotent.
    void Settle(int64_t now)
    {
        m_output.Settle(now);
    }

    /// A frame arrives at this output.
    void Enqueue(const FabricFrame& frame, int64_t now);

    /// Lets a queue pair of this node take part as long as it has frames.
    /// Requires: the port was settled up to `now` before the queue pair changed.
    void Update(FabricQueuePair& queuePair, FabricPriority priority, int64_t now);

    /// The queue pair leaves by another port from now on.
    void Remove(const FabricQueuePair& queuePair, FabricPriority priority, int64_t now);

    /// Frames of this train will arrive at this output, and no further call announces them: the
    /// port takes them in when it settles.
    void Expect(const FabricTrain& train, int64_t now);

    /// Takes an announcement back: of the frames of `flow` expected by way of `ingress`, those from
    /// number `end` on will come by events of their own, if at all. Requires: none of them has
    /// arrived by `now`.
    void CutTrain(uint32_t ingress, uint32_t flow, uint64_t end, int64_t now);

    /// Brings the port up to date, and with it what it claims of a calm memory.
    void Refresh(int64_t now)
    {
        Settle(now);
        Await(now);
    }

    /// No trains start here from now on.
    void StopTrains(int64_t now);

    /// What this output expects will come by events of its own.
    void StopExpecting(int64_t now);

    /// Nobody counts the frames that wait here, from now on. Requires: settled.
    void StoreNowhere()
    {
        m_output.StoreNowhere();
    }

    /// Finds out anew whether trains start here, as the memory of a node acts on no frame again.
    /// What started before `now` was not of a train, and may have been marked.
    void ReconsiderTrains(int64_t now)
    {
        Settle(now);
        m_trains.Prepare();
    }

    /// From now on, frames that wait here are stored in `buffer`: first those that wait already.
    void StoreWaiting(FabricSharedBuffer& buffer, int64_t now);

    /// Takes away the whole frames that wait here, but for pauses, to be sent another way.
    std::vector<FabricFrame> WithdrawFrames(int64_t now);

    /// The state of the link, or of the routes, may have changed: looks again for the next start,
    /// and ends the pauses that a link which was down cannot be trusted with.
    void Reconsider(int64_t now);

    /// Whether frames here may hold memory of the node.
    bool HoldsMemory() const
    {
        return m_output.HoldsMemory();
    }

    /// Whether the node has it in its list of the ports that hold memory; the node alone writes it.
    bool isListedHolder = false;

    /// Tells the node of each end of transmission from now on (FabricNode::RequestFinishArrivals),
    /// for as long as something waits or is being sent.
    void WatchDepartures(int64_t now)
    {
        m_output.WatchDepartures(now);
    }

    // --- accounts ---

    /// A frame that was to leave here was dropped.
    void CountDrop()
    {
        m_output.CountDrop();
    }

    /// Since when this priority has been paused by the peer without interruption; NEVER: it is not.
    int64_t GetPausedSince(FabricPriority priority) const
    {
        return m_pauses.GetSince(priority);
    }

    /// What ended by the present instant `now`; settles.
    FabricPortCounters ReadCounters(int64_t now);

    /// Bytes of whole frames that wait at `now`; settles.
    uint64_t ReadQueueBytes(int64_t now);

    /// How many steps the walks over queue pairs took that trains needed here.
    uint64_t CountTrainSteps() const
    {
        return m_trains.CountSteps();
    }

    /// Calls `visit(frame)` for each data frame in transit that waits.
    template <class Visitor>
    void VisitTransit(Visitor visit) const
    {
        m_output.GetArbiter().VisitTransit(visit);
    }

    /// Calls `visit(frame)` for each frame on the link whose arrival has an event.
    template <class Visitor>
    void VisitInFlight(Visitor visit) const
    {
        for (std::size_t i = 0; i < m_inFlight.GetSize(); ++i)
        {
            visit(m_inFlight[i].frame);
        }
    }

    /// Stops the program unless the conservation law of the output holds.
    void CheckConservation() const;

    // --- rest ---

    /// Settles. \return Whether nothing waits, is expected, on the wire or paused, so that whatever
    /// comes next finds the port as new.
    bool ComesToRest(int64_t now);

    /// What it counts while it is at rest: unlike ReadCounters, this needs no time.
    FabricPortCounters GetCounters() const;

    /// Counts what was not simulated again. Requires: at rest.
    void AddCounters(const FabricPortCounters& counters)
    {
        m_output.AddCounters(counters);
    }

    /// The most bytes that ever waited begin to be counted anew. \return What they were.
    uint64_t ExchangeMaxQueue(uint64_t bytes)
    {
        return m_output.ExchangeMaxQueue(bytes);
    }

    /// What happens to a frame here depends on a random draw, or it is marked.
    void ReportDraw() const;

    /// The event will come soon: has the memory of what it will do fetched into the caches.
    void FetchForEvent(FabricFetch distance) const;

    /// A frame will be sent from here soon: the same.
    void FetchForStart() const
    {
        __builtin_prefetch(&m_output);
        __builtin_prefetch(&m_trains);
        __builtin_prefetch(&m_inFlight);
    }

    // --- for the output and the trains ---

    /// A frame has started whose arrival needs an event.
    void Launch(const FabricFrame& frame, int64_t arrival)
    {
        m_inFlight.PushBack({frame, arrival});
    }

    FabricRingBuffer<FabricFlyingFrame>& GetInFlight()
    {
        return m_inFlight;
    }

    /// A frame has started: tells the trace sinks.
    void ReportTransmit(const FabricFrame& frame, int64_t start)
    {
        if (!m_transmitTrace.IsEmpty())
        {
            m_transmitTrace(start, frame, FindFlow(frame));
        }
    }

    /// Whether a sink wants to see each frame that starts here or arrives from here. It must be
    /// called at the time of each frame, and a frame in a train has no event then.
    bool IsTraced() const
    {
        return !m_transmitTrace.IsEmpty() || !m_peer->m_receiveTrace.IsEmpty();
    }

    static constexpr int64_t NEVER = FabricArbiter::NEVER;

  protected:
    void DoDispose() override;

  private:
    void Await(int64_t now);
    int64_t PredictArrival();
    void LaunchAgain(const FabricTrain& train, int64_t now);
    void ScheduleArrival(int64_t at);
    void OnArrival();
    void HandOver(const FabricFrame& frame, int64_t now);
    void Receive(FabricFrame frame, int64_t now);
    void ReceivePause(const FabricFrame& frame, int64_t now);
    void EndPause(FabricPriority priority, int64_t now);
    const FabricFlow* FindFlow(const FabricFrame& frame) const;

    void AddOwnStartActions();
    void SetWeights(FabricPriorityWeights weights);
    FabricPriorityWeights GetWeights() const;

    FabricLinkTimes m_times{*this};
    FabricOutput m_output{*this, m_trains};
    FabricPortTrains m_trains{*this, m_output};
    FabricCalmBound m_bound{*this, m_output, m_trains};
    FabricRingBuffer<FabricFlyingFrame> m_inFlight;
    FabricMethodEvent<&FabricPort::OnArrival> m_arrival{*this};
    int64_t m_expectedArrival = NEVER; ///< what the pending event stands for
    uint32_t m_context = 0;
    FabricPauses m_pauses; ///< by the peer
    uint64_t m_markMin = 0;
    uint64_t m_markMax = 0;
    double m_markProbability = 0;
    FabricPort* m_peer = nullptr;
    FabricNode* m_fabricNode = nullptr;
    uint32_t m_index = 0;
    DataRate m_dataRate;
    Ptr<FabricChannel> m_channel;
    TracedCallback<int64_t, const FabricFrame&, const FabricFlow*> m_transmitTrace;
    TracedCallback<int64_t, const FabricFrame&, const FabricFlow*> m_receiveTrace;
};

} // namespace ns3

#endif /* FABRIC_PORT_H */
