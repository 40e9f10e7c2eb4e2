// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/event-loop.h"
#include "network/network-backend.h"
#include "system/library/protocol.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <utility>

namespace nadi
{

/// Hands messages to the network when the terms of the communication library allow it.
///
/// Order: messages that leave an endpoint by a timer of one instant leave in the order of
/// (destination, stream, key); before them go those that get a slot at that instant and need no
/// delay. Holds: memory is proportional to the messages that wait, the
/// channels of which slots are taken, and the engines of endpoints that were ever used.
class MessageSender : private EventHandler
{
  public:
    /// Whose messages these are: tells the timers of two senders apart.
    enum class Traffic : uint8_t
    {
        Collectives,
        PointToPoint,
    };

    /// The references outlive it.
    MessageSender(EventLoop& loop, NetworkBackend& network, Traffic traffic);

    /// Sends now, or when the protocol lets it.
    void Send(const Message& message, const PlanPlace& place, const Protocol& protocol)
    {
        protocol.SendsAtOnce() ? m_network.Send(message) : SendOnTerms(message, place, protocol);
    }

    /// The receiver of a message uses it at `used`, now or later: the slot that it may have taken
    /// is free from then on.
    void OnMessageUsed(const LibraryMessage& message, const Protocol& protocol, SimTime used)
    {
        if (!m_channels.empty())
        {
            GiveBackSlot(message, protocol.TermsFor(message), used);
        }
    }

    /// Messages that the network does not have yet.
    size_t Waiting() const
    {
        return m_waiting;
    }

  private:
    struct ChannelName
    {
        VertexId source;
        VertexId destination;
        uint32_t channel = 0;

        auto operator<=>(const ChannelName&) const = default;
    };

    struct Channel
    {
        uint32_t taken = 0; ///< slots
        std::deque<std::pair<Message, SendTerms>> waiting;
    };

    /// The first two members say which event lets it go, the others name it.
    struct Departure
    {
        SimTime at;
        VertexId source;
        VertexId destination;
        StreamId stream;
        MessageKey key;

        auto operator<=>(const Departure&) const = default;
    };

    struct Credit
    {
        SimTime at;
        ChannelName channel;

        auto operator<=>(const Credit&) const = default;
    };

    void OnEvent(uint64_t vertex) override;
    void SendOnTerms(const Message& message, const PlanPlace& place, const Protocol& protocol);
    void WaitForSlot(const Message& message, const SendTerms& terms);
    void WaitForEngine(const Message& message, const SendTerms& terms);
    void LeaveAt(SimTime at, const Message& message);
    void GiveBackSlot(const LibraryMessage& message, const SendTerms& terms, SimTime used);
    void FreeSlots(const ChannelName& name, uint32_t count);
    void WakeAt(SimTime at, VertexId source);

    EventLoop& m_loop;
    NetworkBackend& m_network;
    Traffic m_traffic;
    std::map<ChannelName, Channel> m_channels;
    std::map<std::pair<VertexId, uint32_t>, SimTime> m_engineFreeAt; // by (source, engine)
    std::map<Departure, Message> m_departures;
    std::map<Credit, uint32_t> m_credits; // slots that become free then
    std::set<std::pair<SimTime, VertexId>> m_wakeUps;
    size_t m_waiting = 0;
};

} // namespace nadi
