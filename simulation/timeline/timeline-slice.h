// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "system/collective-type.h"

#include <cstdint>

namespace nadi
{

/// What the tracks of a rank show, in the order in which they are drawn.
enum class TrackKind : uint8_t
{
    Compute,    ///< kernels
    Cpu,        ///< operations of the host
    Memory,     ///< loads and stores
    Collective, ///< calls, from the rank's own to its completion
    Send,
    Receive, ///< from the time that both ends were called
    Exposed, ///< communication that no compute hides
    Idle,
    Pass,  ///< of an instance that serves, not of a rank
    Phase, ///< of collectives, one for each dimension of the stack; the last
};

/// A span of time on a track: one thing, or several that are too short to be told apart.
struct TimelineSlice
{
    SimTime start;
    SimTime end;
    SimTime busy;       ///< how much of it something is going on
    uint32_t count = 1; ///< things in it; above 1, the fields below mean nothing
    /// The node's index in the rank's graph; of a phase: the communicator.
    uint32_t node = 0;
    uint32_t call = 0;  ///< of a phase: its collective's; of a pass: its requests
    uint32_t chunk = 0; ///< of a phase; of a pass: its tokens
    CollectiveType type = CollectiveType::AllReduce; ///< of a phase
    Bytes size;                                      ///< of a phase
    uint64_t flow = 0; ///< the arrow that begins or ends here; 0: none
};

/// What goes on all the time from `start` to `end`.
constexpr TimelineSlice
MakeSlice(SimTime start, SimTime end)
{
    TimelineSlice slice;
    slice.start = start;
    slice.end = end;
    slice.busy = end - start;
    return slice;
}

} // namespace nadi
