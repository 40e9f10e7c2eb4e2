// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/slot-pool.h"
#include "common/units.h"
#include "network/analytical/busy-times.h"
#include "network/analytical/send-order.h"
#include "network/event-loop.h"
#include "network/message-route.h"
#include "network/message.h"
#include "network/network-backend.h"
#include "network/network-options.h"
#include "network/path-metrics.h"
#include "network/routing.h"
#include "network/topology.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace nadi
{

/// Foretells each message's delivery when it is sent: messages wait for each other at the NPUs' own
/// ports and in their queue pair, nowhere else (docs/semantics.md 7). So a message is one event.
///
/// Example: every link takes 10 us for a message, in two frames of 5 us each, and latencies are 0.
/// NPU 0 sends A to NPU 2 at time 0, and B to NPU 3; both go over a switch. A holds the sending
/// port from 0 to 10, so B starts at 10. At 2 us NPU 1 sends C to NPU 2. C could be at the last
/// link from 7 on, but A holds that from 5 to 15, so C has it from 15 to 25, and is delivered at
/// 25. What was foretold for A does not change.
///
/// What is foretold depends on the order of Send calls, which within an instant is that of the
/// up-calls that make them: EventOrder, an order of identities.
///
/// Requires: `topology`, `routing` and `loop` outlive it.
class AnalyticalBackend
    : public NetworkBackend
    , private EventHandler
{
  public:
    /// Of `options` it takes the frames' sizes, the latency of switches and the seed.
    AnalyticalBackend(const Topology& topology,
                      const Routing& routing,
                      const PacketOptions& options,
                      EventLoop& loop);
    AnalyticalBackend(const AnalyticalBackend&) = delete;
    AnalyticalBackend& operator=(const AnalyticalBackend&) = delete;

    void SetListener(DeliveryListener& listener) override;
    void Send(const Message& message) override;
    void CloseStream(StreamId stream) override;

    /// Bytes and packets, once the message that they belong to is delivered; no more is known.
    LinkCounters ReadLink(LinkId link) const override;
    NetworkTotals ReadTotals() const override;

  private:
    /// A link and what it has to do with messages that begin or end with it.
    struct Port
    {
        Bandwidth bandwidth;
        SimTime latency;     ///< that of a switch at its end included
        SimTime fullFrame;   ///< the time that it takes for one
        SimTime sendsUntil;  ///< the messages that begin with it keep it busy so long
        SendOrder order;     ///< of the messages that begin with it
        BusyTimes receiving; ///< of the messages that end with it
        Bytes bytes;         ///< on the wire, of all messages delivered
        uint64_t packets = 0;
    };

    /// A message in flight stores its route if it has so few links, which most have. A longer route
    /// is looked up once more at the delivery: it is the same one, as routes are functions of
    /// identities.
    static constexpr size_t SHORT = 4;

    /// What is known of a message from Send until it goes up.
    struct InFlight
    {
        Message message;
        SimTime sent;
        std::array<LinkId, SHORT> links; ///< of its route, if it is short
        uint32_t hops = 0;
    };

    /// What the frames of a message take, alone on its route.
    struct Times
    {
        SimTime firstLink; ///< the first link is busy for so long
        SimTime lastLink;  ///< the last link is
        SimTime slowest;   ///< the slowest link is
        SimTime lead;      ///< until the first frame is at the last link
        SimTime total;     ///< until the last byte is delivered
    };

    Times ComputeTimes(const MessageRoute& route, const MessageFrames& frames);
    SimTime ForetellInTime(const Message& message, const MessageRoute& route);
    SimTime Foretell(const Message& message, const MessageRoute& route, const Times& times);
    uint32_t List(const Message& message, const std::vector<LinkId>& links);
    void OnEvent(uint64_t place) override;
    void Count(const InFlight& delivered);
    void CountOn(LinkId link, const MessageFrames& frames);

    const Topology& m_topology;
    PacketOptions m_options;
    EventLoop& m_loop;
    MessageRoutes m_routes;
    std::vector<Port> m_ports; // by link
    SlotPool<InFlight> m_messages;
    std::vector<FrameTimes> m_hops; // of the message that is being sent
    NetworkTotals m_totals;
    DeliveryListener* m_listener = nullptr;
};

} // namespace nadi
