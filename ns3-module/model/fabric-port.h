// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_PORT_H
#define FABRIC_PORT_H

#include "fabric-arbiter.h"
#include "fabric-device.h"
#include "fabric-frame.h"
#include "fabric-ring-buffer.h"
#include "fabric-transmit-time.h"

#include "ns3/data-rate.h"
#include "ns3/event-impl.h"
#include "ns3/ptr.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <limits>

namespace ns3
{

class FabricChannel;
class FabricNode;

/// \ingroup fabric
/// What one direction of a link carried: transmissions that have ended.
struct FabricPortCounters
{
    uint64_t wireBytes = 0;     ///< of all frames
    uint64_t dataFrames = 0;    ///< of any origin
    uint64_t ownDataFrames = 0; ///< of the queue pairs of this very node
    uint64_t maxQueueBytes = 0; ///< most bytes of whole frames that waited here
};

/// \ingroup fabric
/// One end of a link: an output port that needs no event of its own, and the input of the peer's.
///
/// The future of a port is a function of what waits at it. So nothing happens when a frame starts
/// or ends; whoever touches the port (a frame to forward, a queue pair with a new message, a look
/// at the counters) first *settles* it: all starts strictly before the present instant are
/// committed, each with the frame that the arbiter would have chosen then. Since every touch
/// settles first, whatever waits at a commit arrived no later than that start.
///
/// Times of a frame: start = max(end of the previous one, when the port became non-empty);
/// end = start + ceil(8 bytes / rate), in picoseconds, at least 1; it is handed to the peer's node
/// whole, at end + delay of the channel + latency of that node.
///
/// A start at the present instant is tentative: a later touch at the same instant may change which
/// frame it is. The port schedules one event at a time, for the next arrival at the far end, always
/// with the same EventImpl: no allocation, and one event for each frame and hop. Where a touch
/// changes the size of a tentative start while nothing is in flight, the event is scheduled again
/// and the earlier one does nothing when it comes.
///
/// Holds after every touch (CheckConservation verifies it, tests call it), in bytes:
///   enqueued + own = waiting + started, and started = in flight + handed over.
/// A waiting frame is counted from its arrival to its start, so an uncontended back-to-back hop has
/// a queue of 0; frames still in queue pairs are not waiting.
class FabricPort : public FabricDevice
{
  public:
    /// \return The object TypeId.
    static TypeId GetTypeId();

    FabricPort();
    ~FabricPort() override;

    /// Called by the FabricNode that gets this port.
    void JoinNode(FabricNode& node, uint16_t index);

    /// Called by the FabricChannel that joins this port to `peer`.
    void JoinChannel(Ptr<FabricChannel> channel, FabricPort& peer);

    /// The port's number in its node.
    uint16_t GetIndex() const
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

    /// Commits all starts strictly before `now`. Idempotent.
    void Settle(int64_t now);

    /// A frame arrives at this output at the present instant `now`.
    void Enqueue(const FabricFrame& frame, int64_t now);

    /// A queue pair of this node has frames to send from the present instant `now` on.
    /// Requires: the port was settled up to `now` before the queue pair got them.
    void Activate(FabricQueuePair& queuePair, int64_t now);

    /// What ended by the present instant `now`; settles.
    FabricPortCounters ReadCounters(int64_t now);

    /// Stops the program unless the conservation law above holds.
    void CheckConservation() const;

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
        uint64_t handedOver = 0;
    };

    static constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();

    void BecomeNonEmpty(int64_t now);
    void SampleQueue();
    void CommitNext();
    void AwaitArrival(int64_t now);
    void ScheduleArrival(int64_t at, int64_t now);
    void OnArrival();
    void Receive(FabricFrame frame, int64_t now);

    FabricArbiter m_arbiter;
    int64_t m_nextStart = 0;           ///< the link is free, and something waits, from then on
    int64_t m_unsampled = NEVER;       ///< instant of arrivals after which no sample was taken yet
    int64_t m_expectedArrival = NEVER; ///< what the pending event stands for
    int64_t m_delay = 0;               ///< from end of transmission to arrival
    FabricTransmitTime m_transmitTime;
    FabricRingBuffer<FlyingFrame> m_inFlight;
    Ptr<EventImpl> m_arrivalEvent; ///< the one event of this port, scheduled over and over
    FabricPortCounters m_started;  ///< of all committed frames
    Ledger m_ledger;

    FabricPort* m_peer = nullptr;
    FabricNode* m_fabricNode = nullptr;
    uint16_t m_index = 0;
    uint32_t m_context = 0; ///< of the peer's ns-3 node, where arrivals happen
    DataRate m_dataRate;
    Ptr<FabricChannel> m_channel;
    TracedCallback<Ptr<const Packet>> m_snifferTrace;
};

} // namespace ns3

#endif /* FABRIC_PORT_H */
