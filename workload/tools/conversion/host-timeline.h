// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/conversion/device-plan.h"
#include "workload/tools/conversion/kineto-nesting.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nadi
{

/// A stretch of time of one thread of the host, in which one operator ran and none within it; or in
/// which none ran.
struct HostSegment
{
    static constexpr size_t NONE = SIZE_MAX;

    size_t event = NONE; ///< the operator or call, a Kineto event; NONE: no operator
    int64_t thread = 0;
    int64_t startNs = 0;
    int64_t endNs = 0;
    size_t previous = NONE;   ///< the segment before it on its thread
    size_t handedFrom = NONE; ///< a segment of another thread that it waits for
    size_t first = NONE;      ///< of a segment that continues its operator: the first one
    bool isReturn = false;    ///< of a call that waits for its own copy: what comes after that
};

/// The time of all threads of the host, cut into segments: each thread's follow one another without
/// a hole from the first event of the trace on.
///
/// Operators are cut at what lies within them: other operators, and calls that launch work or wait
/// for it. Other calls are part of their operator. A thread without operators or such calls has no
/// segments.
///
/// A thread of the backward pass works when another thread, which waits meanwhile, asks it to.
/// Kineto marks its operators ("Fwd thread id"). While it is not asked, no time passes on it: its
/// first segment waits for the one in which the other thread asked. The operator in which that
/// thread asked waits for the worker until the end of its last segment; what else the thread does
/// meanwhile is work.
///
/// Any other thread waits, after a pause, for how far the main thread had come then, as nothing
/// tells what it waited for.
///
/// Throws ConfigError for a trace without events of the host.
std::vector<HostSegment>
CutHostTimeline(const KinetoTrace& trace, const KinetoNesting& nesting, const DevicePlan& plan);

} // namespace nadi
