// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "network/message.h"
#include "network/network-options.h"
#include "network/routing.h"
#include "network/topology.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// The way of a message.
struct MessageRoute
{
    std::vector<LinkId> links; ///< from the source to the destination, never empty
    SimTime latency;           ///< of those links and the switches between them; see PathLatency
};

/// The ways of messages, for backends that do not move frames: those that the packet network gives
/// their frames with load-balancing `ecmp`.
///
/// A way is a function of (source, destination, communicator). It is worked out whenever it is
/// asked for: a table of all pairs would grow with the square of the NPUs.
class MessageRoutes
{
  public:
    /// Of `options` it takes the seed and the latency of switches. Requires: no link has failed;
    /// `topology` and its `routing` outlive it.
    MessageRoutes(const Topology& topology, const Routing& routing, const PacketOptions& options);

    /// The reference is valid until the next call. Requires: the ends are different NPUs.
    const MessageRoute& Find(const Message& message);

  private:
    const Routing& m_routing;
    uint64_t m_seed;
    std::vector<SimTime> m_latencies; // by link: its own and that of the switch at its end
    MessageRoute m_route;             // the last answer
};

} // namespace nadi
