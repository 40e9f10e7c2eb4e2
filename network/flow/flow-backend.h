// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/event-loop.h"
#include "network/flow/alarm.h"
#include "network/flow/arrival-queue.h"
#include "network/flow/fair-shares.h"
#include "network/flow/flow-drains.h"
#include "network/flow/flow-message-pool.h"
#include "network/flow/flow-scale.h"
#include "network/flow/flow-tally.h"
#include "network/flow/queue-pair-table.h"
#include "network/message-route.h"
#include "network/network-backend.h"
#include "network/network-options.h"
#include "network/routing.h"
#include "network/topology.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// Carries messages as flows: no frames, but fair rates (docs/backends.md).
///
/// A queue pair with messages is one flow over the links of its path, the one that its frames would
/// take. Its messages leave the sender one after the other, each as many bytes as its frames have
/// on the wire, at the flow's max-min fair rate, which holds on all its links at once. A message is
/// delivered the tail of its cost after its last byte has left, and at least the time of its last
/// frame after the one before it in the queue pair. So a message alone takes IdealTransferTime.
///
/// Life of a message: Send lists it. At the end of the instant, *settling* takes out what has left
/// by then, starts what is to leave now, and gives new rates to all flows that this touches, once.
/// What has left waits for its delivery. One settling for an instant, and not one for each Send, is
/// what makes the rates independent of the order of calls: a thousand sends of one instant change
/// rates once.
///
/// With a `rateInterval`, rates are given at most once in that time: flows that start wait for it,
/// and what flows that have stopped leave to others is not used until then. So many starts and
/// stops that follow each other closely cost one change of rates.
///
/// Flows of one bottleneck have one rate, and form a group (FairShares). A group drains as a whole
/// (FlowDrains): a new rate costs one step for the group, and not one for each flow.
///
/// Holds: times depend on what is sent when, not on the order of the calls of an instant (but for
/// those to one queue pair); a message whose flow keeps its rate keeps its end.
/// Takes from `options` what frames look like, `switchLatency` and `seed`.
/// Requires: `topology`, `routing` and `loop` outlive it.
class FlowBackend
    : public NetworkBackend
    , private EventHandler
{
  public:
    FlowBackend(const Topology& topology,
                const Routing& routing,
                const PacketOptions& options,
                EventLoop& loop,
                SimTime rateInterval = {});
    FlowBackend(const FlowBackend&) = delete;
    FlowBackend& operator=(const FlowBackend&) = delete;

    void SetListener(DeliveryListener& listener) override;
    void Send(const Message& message) override;

    /// Nothing to do: queue pairs are forgotten as others need their places.
    void CloseStream(StreamId stream) override;

    /// Frames count on all links of a path when the last bit of theirs, at the flow's rate, has
    /// left the sender. There are no queues and no control frames.
    LinkCounters ReadLink(LinkId link) const override;

    NetworkTotals ReadTotals() const override;

    /// Queue pairs that are not forgotten.
    uint32_t QueuePairCount() const
    {
        return m_pairs.Size();
    }

    /// What keeping the rates fair took.
    const FairShares::Effort& EffortSoFar() const
    {
        return m_shares.EffortSoFar();
    }

  private:
    void OnEvent(uint64_t token) override;
    void Settle();
    void Deliver();
    uint32_t TakeQueuePair(const Message& message);
    const MessageCost& CostOf(uint32_t pair, Bytes size);
    detail::Wide FirstWorkOf(uint32_t pair);
    detail::Wide OnLeft(uint32_t pair);
    bool AreRatesDue() const;
    void ChangeRates();
    void CountWaits(uint32_t pair);
    [[noreturn]] void ThrowClockEnd() const;
    [[noreturn]] void ThrowTooLate(const FlowQueuePair& pair) const;

    const Topology& m_topology;
    MessageRoutes m_routes;
    PacketOptions m_options;
    EventLoop& m_loop;
    DeliveryListener* m_listener = nullptr;
    FlowScale m_scale;
    FairShares m_shares;
    QueuePairTable m_pairs; // at the places of their flows
    uint32_t m_manyPairs;   // from so many on, idle ones make room
    FlowMessagePool m_messages;
    uint64_t m_leaving = 0;           // messages that were sent and have not left
    std::vector<uint32_t> m_starting; // queue pairs whose flows start when rates change next
    bool m_areRatesOld = false;       // flows have stopped, or wait to start
    SimTime m_rateInterval;
    SimTime m_ratesDue;  // no sooner do rates change
    FlowDrains m_drains; // of the first messages; groups by the links that limit them
    ArrivalQueue m_arrivals;
    Alarm m_settling;
    Alarm m_delivering;
    std::vector<LinkId> m_path; // scratch
    FlowTally m_tally;
};

} // namespace nadi
