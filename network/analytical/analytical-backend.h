// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/slot-pool.h"
#include "common/units.h"
#include "network/analytical/busy-times.h"
#include "network/analytical/send-order.h"
#include "network/analytical/transfer-times.h"
#include "network/event-loop.h"
#include "network/message.h"
#include "network/network-backend.h"
#include "network/network-options.h"
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
    /// What a link has to do with messages that begin with it, in one cache line, and with those
    /// that end with it and were delivered over it, in another: a message is sent over one port and
    /// received over another.
    struct alignas(64) Port
    {
        SimTime sendsUntil;              ///< the messages that begin with it keep it busy so long
        SendOrder order;                 ///< of the messages that begin with it
        alignas(64) BusyTimes receiving; ///< of the messages that end with it
        Bytes bytes;                     ///< on the wire, of all messages delivered
        uint64_t packets = 0;
    };

    static_assert(sizeof(Port) == 128, "a port is two cache lines");

    /// What is known of a message from Send until it goes up. It stores its way if that has few
    /// links. A longer way is looked up once more at the delivery: it is the same one, as routes
    /// are functions of identities.
    struct InFlight
    {
        Message message;
        SimTime sent;
        std::array<LinkId, TransferTime::SHORT> links; ///< of its route, if it is short
        uint32_t hops = 0;
    };

    void SendInTime(const Message& message);
    SimTime Foretell(const Message& message, const TransferTime& time);
    void OnEvent(uint64_t place) override;
    void Expect(uint64_t place) const override;
    void Count(const InFlight& delivered);
    void CountOn(LinkId link, uint64_t packets, Bytes wire);

    const Topology& m_topology;
    PacketOptions m_options;
    EventLoop& m_loop;
    TransferTimes m_times;
    std::vector<Port> m_ports; // by link
    SlotPool<InFlight> m_messages;
    NetworkTotals m_totals;
    DeliveryListener* m_listener = nullptr;
};

} // namespace nadi
