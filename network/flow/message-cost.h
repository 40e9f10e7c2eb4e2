// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/network-options.h"
#include "network/topology.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// What a message puts on the wire, and what its way adds to the time in which it leaves.
struct MessageCost
{
    Bytes wire; ///< payload and headers; at least a byte
    uint64_t frames = 0;
    SimTime tail;      ///< from the last byte's leaving to its arrival
    SimTime lastFrame; ///< time of the last frame on the last link
};

/// The cost of a message of `size` on `path`.
///
/// Holds: wire / (the slowest link's bandwidth) + tail = IdealTransferTime with store-and-forward,
/// whatever `options.switching` is. So the tail is the latency of the path, the time that further
/// hops take to store a frame, and what frames lose by rounding their times up one by one.
MessageCost ComputeMessageCost(const Topology& topology,
                               const std::vector<LinkId>& path,
                               Bytes size,
                               const PacketOptions& options);

} // namespace nadi
