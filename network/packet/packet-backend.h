// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/slot-pool.h"
#include "network/closed-traffic.h"
#include "network/event-loop/ns3/ns3-event-loop.h"
#include "network/link-fault.h"
#include "network/message-route.h"
#include "network/network-backend.h"
#include "network/network-options.h"
#include "network/packet/deadlock-watch.h"
#include "network/packet/fabric-builder.h"
#include "network/packet/fabric-routing-adapter.h"
#include "network/packet/fault-schedule.h"
#include "network/packet/memo/period-memo.h"
#include "network/packet/open-pairs.h"
#include "network/routing.h"
#include "network/topology.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// Carries messages packet by packet over the fabric of `ns3-module`.
///
/// Life of a message: Send lists it in the table of messages in flight and posts it, with its place
/// in the table, on the queue pair (source, destination, stream) of the fabric. When its last frame
/// arrives, the destination's NIC gives the place back, and the delivery is put on the
/// agenda of that instant; there it leaves the table and goes up to the listener.
///
/// Requires: `topology`, `routing` and `loop` outlive it.
class PacketBackend
    : public NetworkBackend
    , private EventHandler
    , private EndOfArrivalsListener
    , private MemoHost
{
  public:
    /// Throws ConfigError where an option is out of range, or an ns-3 attribute is unknown.
    PacketBackend(const Topology& topology,
                  const Routing& routing,
                  const PacketOptions& options,
                  Ns3EventLoop& loop);
    ~PacketBackend() override;
    PacketBackend(const PacketBackend&) = delete;
    PacketBackend& operator=(const PacketBackend&) = delete;

    /// What goes wrong with the links. Requires: called at most once, before the first Send.
    void AddFaults(const std::vector<LinkFault>& faults);

    /// Writes what a capture at the sending end of `link` sees to a pcap file.
    /// Requires: called before the first Send; the folder of `file` exists.
    void Capture(LinkId link, const std::string& file);

    /// What is deadlocked at present, in a sentence; none: nothing.
    std::optional<std::string> FindDeadlock() const
    {
        return m_deadlocks.FindDeadlock();
    }

    /// Why messages wait though nothing will happen any more; see FindStuckCauses.
    std::vector<std::string> FindStuckCauses() const;

    void SetListener(DeliveryListener& listener) override;
    /// Throws std::overflow_error for a message that even an empty network would carry for longer
    /// than the clock goes.
    void Send(const Message& message) override;
    void CloseStream(StreamId stream) override;
    std::optional<uint32_t> Take(ClosedTraffic& traffic) override;
    void EndPart(uint32_t traffic, uint32_t part) override;
    LinkCounters ReadLink(LinkId link) const override;
    NetworkTotals ReadTotals() const override;

    /// Throws by way of ns-3 (stops the program) unless every port accounts for every byte.
    void CheckConservation() const;

    /// Queue pairs that the fabric keeps as objects.
    uint32_t QueuePairCount() const;

    /// Closed traffic that was taken over and is still known.
    size_t TakenCount() const
    {
        return m_memo ? m_memo->TakenCount() : 0;
    }

  private:
    /// What is known of a message from Send until it goes up; the packet network itself knows only
    /// its flow and its bytes.
    struct InFlight
    {
        Message message;
        SimTime sent;
        uint32_t retransmissions = 0; ///< of its queue pair, when it arrived
    };

    void OnArrived(const ns3::FabricQueuePair& queuePair, uint64_t place);
    void OnFailed(ns3::FabricFlowKey flow);
    [[noreturn]] void OnClockEnd(const ns3::FabricPort& port);
    void CheckEnds(const Message& message) const;
    void MarkWanted(const Message& message);
    void OnEvent(uint64_t place) override;
    void Expect(uint64_t place) const override;
    void OnEndOfArrivals() override;
    void OnEndOfInstant() override;
    void Deliver(uint32_t place) override;
    void Prepare();
    void LookInside() const;

    /// Whether what enters may be answered.
    bool HasMemo() const
    {
        return m_memo && !m_memo->HasEnded();
    }

    bool AwaitsBackground() const override;

    const Topology& m_topology;
    Ns3EventLoop& m_loop;
    const Routing& m_usualRouting;
    PacketOptions m_options;
    BuiltFabric m_built;
    OpenPairs m_pairs;
    ns3::Ptr<FabricRoutingAdapter> m_routing;
    FaultSchedule m_faults;
    DeadlockWatch m_deadlocks;
    SlotPool<InFlight> m_messages;
    bool m_isPrepared = false;
    std::unique_ptr<PeriodMemo> m_memo; // null: everything is simulated
    DeliveryListener* m_listener = nullptr;
    std::string m_failure;                      // of a queue pair that gave up
    std::optional<MessageRoutes> m_usualRoutes; // where links go down: as if none did
    std::vector<bool> m_isWanted;               // by link, likewise: by a message that was sent
};

} // namespace nadi
