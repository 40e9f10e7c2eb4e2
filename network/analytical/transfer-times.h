// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/units.h"
#include "network/message-route.h"
#include "network/message.h"
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

/// A message alone on its way: where it goes, and what its frames take.
struct TransferTime
{
    /// Most ways have at most so many links.
    static constexpr uint32_t SHORT = 4;

    SimTime firstLink;               ///< the first link is busy for so long
    SimTime lastLink;                ///< the last link is
    SimTime slowest;                 ///< the slowest link is
    SimTime lead;                    ///< until the first frame is at the last link
    SimTime total;                   ///< until the last byte is delivered
    SimTime lastLatency;             ///< of the last link
    LinkId first;                    ///< links of the way: the first ...
    LinkId last;                     ///< ... the last ...
    std::array<LinkId, SHORT> links; ///< ... and all of them, if there are at most SHORT
    uint32_t hops = 0;               ///< how many there are
};

/// Works out the times of messages, and keeps those that are asked for again.
///
/// The answer is a function of (source, destination, communicator, size). The steps of a ring ask
/// for the same one again and again; those of a direct exchange never do, and to keep theirs would
/// cost more than it saves. So a place keeps an answer when it is asked for a second time with
/// nothing else in between. There are so few places that they stay in the caches.
class TransferTimes
{
  public:
    /// Of `options` it takes the frames' sizes, the latency of switches and the seed. Requires: as
    /// MessageRoutes.
    TransferTimes(const Topology& topology, const Routing& routing, const PacketOptions& options);

    /// The reference is valid until the next call. Requires: as MessageRoutes::Find. Throws
    /// std::overflow_error if a time passes the clock's range.
    const TransferTime& Find(const Message& message);

    /// All links of the message's way. The reference is valid until the next call.
    const std::vector<LinkId>& FindLinks(const Message& message)
    {
        return m_routes.Find(message).links;
    }

    /// How many answers were worked out so far.
    uint64_t WorkedOut() const
    {
        return m_workedOut;
    }

  private:
    /// What the answer depends on.
    struct Key
    {
        VertexId source;
        VertexId destination;
        uint64_t way = 0; ///< WayIdentity
        Bytes carried{};

        bool operator==(const Key&) const = default;
    };

    struct alignas(64) Kept
    {
        Key key;
        TransferTime time;
    };

    static_assert(sizeof(Kept) == 128, "an answer is two cache lines");

    /// What the times of a link are made of.
    struct LinkTimes
    {
        Bandwidth bandwidth;
        SimTime latency;   ///< that of a switch at its end included
        SimTime fullFrame; ///< the time that it takes for one
    };

    static constexpr size_t PLACES = 4096;

    static uint64_t HashOf(const Key& key);
    TransferTime WorkOut(const Message& message);
    void FillHops(const std::vector<LinkId>& links, Bytes lastFrame);

    PacketOptions m_options;
    MessageRoutes m_routes;
    std::vector<LinkTimes> m_links; // by link
    std::vector<uint32_t> m_asked;  // by place: part of the hash of what was asked for last
    std::vector<Kept> m_kept;       // by place
    std::vector<FrameTimes> m_hops; // of the message that is being worked out
    TransferTime m_answer;          // the last one that is not kept
    uint64_t m_workedOut = 0;
};

} // namespace nadi
