// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/conversion/kineto-trace.h"
#include "workload/tools/conversion/pytorch-calls.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace nadi
{

/// A kernel, copy or memset of the device, and what it waits for.
struct DeviceWork
{
    static constexpr size_t NONE = SIZE_MAX;

    size_t event = NONE;  ///< index of the Kineto event
    size_t launch = NONE; ///< the runtime's call that launched it, an event; NONE: not recorded
    int64_t launchedNs = 0;
    bool isCommunication = false;
    std::vector<size_t> awaited = {};    ///< works of this and other streams; earlier ones
    std::vector<PytorchCall> calls = {}; ///< of communication: what it carries, if it is known
    bool isFurther = false; ///< its call is that of an earlier work, which carries all of it
};

/// All work of the device and what the host waits for.
///
/// Holds: a work awaits only works that stand before it, so that the plan has no cycle.
struct DevicePlan
{
    std::vector<DeviceWork> works;                                 ///< in the order of launch
    std::unordered_map<size_t, std::vector<size_t>> worksOfCall;   ///< launched by a call, an event
    std::unordered_map<size_t, std::vector<size_t>> awaitedByCall; ///< for which a call blocks
};

/// Finds the order of the device's work. The rules, with what they are drawn from:
///
/// * A stream is a queue, in the order of launch.
/// * Communication waits for the compute that its thread launched last, as PyTorch lets the
///   stream of the library wait for the current stream.
/// * What a thread launches after it waited for a collective waits for it: the wait is the call
///   cudaStreamWaitEvent outside the launch of a collective. It is for the collective that the
///   request in the host trace names, else for the oldest that nothing waited for yet.
/// * Other calls of cudaStreamWaitEvent make what the thread launches next wait for the last work
///   of all other streams, as the trace does not say which.
/// * A call that synchronises blocks until the last work of its stream, or of all streams, has
///   ended; the stream is that of the work that the thread launched last.
/// * Where the trace has synchronization events (enable_cuda_sync_events), they tell which stream
///   waits for which, and no rule guesses.
///
/// A guessed wait that the recorded times contradict, because what is awaited ended after what
/// waits began, is left out.
DevicePlan PlanDeviceWork(const KinetoTrace& trace, const PytorchCalls& calls);

} // namespace nadi
