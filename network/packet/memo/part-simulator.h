// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/packet/fabric-builder.h"
#include "network/packet/memo/period.h"
#include "network/packet/open-pairs.h"
#include "network/topology.h"

#include <ns3/fabric-port-counters.h>

#include <cstdint>
#include <unordered_set>
#include <vector>

namespace nadi
{

/// The parts of the fabric that periods have: simulates them, now or in private time, and counts
/// what they carry.
class PartSimulator
{
  public:
    /// A cookie that says that the message was delivered; the rest is its number in its period.
    /// Others are places in the backend's table of messages, of 32 bits.
    static constexpr uint64_t GIVEN = uint64_t{1} << 63;

    /// Requires: everything outlives it, and the fabric is prepared.
    PartSimulator(const Topology& topology, const BuiltFabric& built, OpenPairs& pairs);

    // --- streams ---

    /// A message is sent on the stream.
    void OpenStream(StreamId stream)
    {
        m_streams.insert(stream.value);
    }

    void CloseStream(StreamId stream);

    /// Whether more may be sent on one of the streams of the period.
    bool HasOpenStream(const Period& period) const;

    // --- what enters ---

    /// Sends a message of this period, whose index is `index`, through the fabric now.
    void Post(Period& period, uint32_t index, const Message& message, uint64_t cookie);

    /// Closes the streams that were opened again because what entered the period was sent again.
    void CloseAgain(const Period& period);

    /// Whether the queue pair of this message would do what a new one does.
    bool IsAsNew(const PeriodInput& input) const;

    /// Whether nothing moves any more in the part of a period whose queue pairs are idle.
    bool IsAtRest(const Period& period, int64_t now) const;

    // --- what was carried ---

    /// Keeps the counters of the links that are new to a period, to tell later what it added.
    void KeepCounters(Period& period);

    /// The largest queues are again those of the whole run; nothing is kept any more.
    void RestoreCounters(Period& period);

    /// What the period added to a link. Requires: its counters were kept, and it is at rest.
    ns3::FabricPortCounters ReadGain(LinkId link) const;

    /// Counts what was answered at `node` without being simulated. Requires: at rest.
    void AddGains(const Period& period, const PeriodNode& node);

    /// The queue pairs of the period go on as if they had sent its messages: random draws are
    /// functions of the numbers of frames. Requires: at rest.
    void SkipFrames(const Period& period);

  private:
    bool IsOpen(const PeriodInput& input) const
    {
        return m_streams.count(input.message.stream.value) > 0;
    }

    const Topology& m_topology;
    const BuiltFabric& m_built;
    OpenPairs& m_pairs;
    std::vector<ns3::FabricPortCounters> m_before; // by link: those that were kept
    std::unordered_set<uint64_t> m_streams;        // open
};

} // namespace nadi
