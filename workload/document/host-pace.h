// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/document/trace-document.h"

#include <cstdint>

namespace nadi
{

/// What AddHostPace did.
struct HostPace
{
    uint64_t gaps = 0;        ///< nodes that were added
    uint64_t waits = 0;       ///< times at which the host waited for the accelerator
    uint64_t streamWaits = 0; ///< of AddStreamWaits, which comes first
};

/// Gives a recording the pace of its host, as far as the recorded starts tell it. Without it, a
/// replay runs ahead of the recording wherever a thread ran something that is not in the trace, and
/// falls behind wherever the time of an operation was spent waiting for the accelerator.
///
/// * Gaps. The gap before a CPU node is the time to its recorded start from the latest of: the
/// first
///   recorded start, the end of the node before it on its thread (`tid`), and the ends of the nodes
///   that it depends on. It becomes a CPU node "host gap" of the same thread. An operation that has
///   others within it, on its thread or on one that works for it, ends where the first of them
///   starts.
/// * Waits. Recordings do not say when the host waited for the accelerator. It is taken to have
///   waited in a gap or an operation of more than 50 us where all that it had launched before ended
///   within it: then the gap or the operation depends on what ended last, and only what is left
///   after that end is its duration.
///
/// The host waits for work that may itself have waited, so AddStreamWaits comes before.
///
/// Nodes without recorded starts are left alone. The recording's own times stay in the starts.
HostPace AddHostPace(TraceDocument& document);

} // namespace nadi
