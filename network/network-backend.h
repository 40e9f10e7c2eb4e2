// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/units.h"
#include "network/closed-traffic.h"
#include "network/message.h"

#include <cstdint>
#include <optional>

namespace nadi
{

/// What one direction of a link carried; the columns of `links.csv` (docs/semantics.md 8), and
/// what waits for it.
struct LinkCounters
{
    Bytes bytes;          ///< wire bytes of all frames whose transmission has ended
    uint64_t packets = 0; ///< data frames among them
    Bytes queue;          ///< bytes of whole frames that wait at the sending port now
    Bytes maxQueue;       ///< the most that ever waited there
    uint64_t ecnMarks = 0;
    uint64_t pauses = 0;
    SimTime paused;
    uint64_t drops = 0;
    Bytes retransmitted;
    /// Where links go down: by the routes without faults, messages that were sent go over it.
    bool isWanted = false;
    bool hasAlteredRate = false; ///< some frame started at the bandwidth that a fault gives
};

/// Totals over the network; fields of `summary.json`.
struct NetworkTotals
{
    uint64_t packets = 0;    ///< data frames put on the wire by NPUs, retransmissions included
    uint64_t packetHops = 0; ///< the same, once per link
    uint64_t ecnMarks = 0;
    uint64_t pauses = 0;
    uint64_t drops = 0; ///< frames lost on links, in full buffers, or for want of a way
    uint64_t cnps = 0;
    uint64_t slowdowns = 0;     ///< how often congestion controls lowered a rate or a window
    bool hasHeldFrames = false; ///< whether a window ever kept a frame from starting
    uint64_t retransmissions = 0;
    uint64_t reroutes = 0;
    uint64_t trains = 0;
    uint64_t cutTrains = 0;      ///< of these, promises that were taken back before their end
    uint64_t trainSteps = 0;     ///< of walks over queue pairs for the sake of trains
    uint64_t memoryLooks = 0;    ///< at ports and accounts of memories that may pause or drop
    uint64_t memoMessages = 0;   ///< sent while there was a memo ...
    uint64_t memoAnswered = 0;   ///< ... and, of these, answered without being simulated ...
    uint64_t memoSkipped = 0;    ///< ... or even sent, in closed traffic
    uint64_t pairsGivenBack = 0; ///< queue pairs that made room while they rested
    /// The part of the time of all messages in which they waited for a change of rates.
    double rateWaits = 0;
};

/// Carries messages over the topology. Implementations: `packet`, `flow`, `analytical`.
///
/// Down-calls return at once; up-calls come only from the event loop, at the end of an instant.
/// Messages of one (source, destination, stream) are delivered in the order of their Send.
class NetworkBackend
{
  public:
    virtual ~NetworkBackend() = default;

    /// Who is told about deliveries. Requires: set once, before the first Send; outlives the run.
    virtual void SetListener(DeliveryListener& listener) = 0;

    /// Starts to send. Calls back the listener once, when the last byte is delivered.
    /// Requires: source != destination, both vertices of the topology, size >= 0.
    virtual void Send(const Message& message) = 0;

    /// No more messages will be sent on `stream`: its queue pairs may be forgotten once their
    /// messages and acknowledgements are through.
    virtual void CloseStream(StreamId stream) = 0;

    /// Takes over some traffic that is to begin now: it begins at the end of this instant, unless
    /// the backend knows what comes of it. \return Its number for EndPart, until Release; none: it
    /// is not taken over, and its messages are like any others.
    virtual std::optional<uint32_t> Take(ClosedTraffic& /*traffic*/)
    {
        return std::nullopt;
    }

    /// A part of traffic that was taken over has sent and received all that it has to. Calls back
    /// OnPartEnded, unless it did when it knew of this end.
    virtual void EndPart(uint32_t /*traffic*/, uint32_t /*part*/)
    {
    }

    /// The counters of one direction of a link at the present instant.
    virtual LinkCounters ReadLink(LinkId link) const = 0;

    virtual NetworkTotals ReadTotals() const = 0;
};

} // namespace nadi
