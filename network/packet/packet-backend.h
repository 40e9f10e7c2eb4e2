// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/event-loop.h"
#include "network/network-backend.h"
#include "network/network-options.h"
#include "network/packet/fabric-builder.h"
#include "network/routing.h"
#include "network/topology.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// Carries messages packet by packet over the fabric of `ns3-module`.
///
/// Life of a message: Send lists it in the table of messages in flight and posts it, with its place
/// in the table, on the queue pair (source, destination, stream) of the source's NIC. When its
/// last frame arrives, the destination's NIC gives the place back, and the delivery is put on the
/// agenda of that instant; there it leaves the table and goes up to the listener.
///
/// Requires: `topology`, `routing` and `loop` outlive it; `loop` is an Ns3EventLoop.
class PacketBackend
    : public NetworkBackend
    , private EventHandler
{
  public:
    /// Throws ConfigError where a frame size of the options is out of range.
    PacketBackend(const Topology& topology,
                  const Routing& routing,
                  const PacketOptions& options,
                  EventLoop& loop);
    ~PacketBackend() override;
    PacketBackend(const PacketBackend&) = delete;
    PacketBackend& operator=(const PacketBackend&) = delete;

    void SetListener(DeliveryListener& listener) override;
    void Send(const Message& message) override;
    void CloseStream(StreamId stream) override;
    LinkCounters ReadLink(LinkId link) const override;
    NetworkTotals ReadTotals() const override;

    /// Throws by way of ns-3 (stops the program) unless every port accounts for every byte.
    void CheckConservation() const;

    /// Queue pairs that are not forgotten, over all NICs.
    uint32_t QueuePairCount() const;

  private:
    struct InFlight
    {
        Message message;
        SimTime sent;
    };

    uint64_t List(const Message& message);
    void OnArrived(uint64_t place);
    void OnEvent(uint64_t place) override;

    EventLoop& m_loop;
    BuiltFabric m_built;
    std::vector<InFlight> m_messages; // the table; a place is reused once its message is delivered
    std::vector<uint64_t> m_freePlaces;
    DeliveryListener* m_listener = nullptr;
};

} // namespace nadi
