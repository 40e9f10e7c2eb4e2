// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/network-options.h"
#include "network/topology.h"

#include <cstdint>
#include <optional>
#include <vector>

/// \file
/// What can be said of paths without simulating: for `nadi check` and for the results.

namespace nadi
{

/// The part of a path's time that no bandwidth shortens: the links' latencies and, for each switch
/// between two of them, `switchLatency`.
SimTime
PathLatency(const Topology& topology, const std::vector<LinkId>& path, SimTime switchLatency);

/// A message cut into frames: full ones, and a last one that is at most as long.
struct MessageFrames
{
    int64_t full = 0; ///< how many full frames come before the last one
    Bytes fullWire;   ///< of one full frame on the wire
    Bytes lastWire;   ///< of the last frame, at least a byte

    uint64_t Count() const
    {
        return static_cast<uint64_t>(full) + 1;
    }

    /// All frames on the wire.
    Bytes Wire() const
    {
        return fullWire * full + lastWire;
    }
};

MessageFrames CutIntoFrames(Bytes size, const PacketOptions& options);

/// The times that a link takes for the frames of a message.
struct FrameTimes
{
    SimTime full; ///< for one full frame
    SimTime last; ///< for the last one
    /// For the part of any frame after which the next hop may begin it; none: the whole frame.
    /// Holds: no more than `last`; none on the last hop; where there is one, the next hop takes no
    /// less time for a frame than this one.
    std::optional<SimTime> head = std::nullopt;
};

/// The time in which `fullFrames` full frames and a last one cross the hops of a path, latencies
/// left out: exact, in closed form.
SimTime ComputePipelineTime(const std::vector<FrameTimes>& hops, int64_t fullFrames);

/// The time of one message alone on `path`, from Send to the arrival of its last byte, in the
/// packet network (`ideal_fct_ns`): the time of its pipeline and the path's latency.
/// Requires: the path is not empty.
SimTime IdealTransferTime(const Topology& topology,
                          const std::vector<LinkId>& path,
                          Bytes size,
                          const PacketOptions& options);

} // namespace nadi
